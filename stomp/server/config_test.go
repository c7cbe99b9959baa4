package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp"
)

func TestTheZeroConfigHasEveryLimit(t *testing.T) {
	c := Config{}.filled()
	require.NotNil(t, c.Broker)
	require.Equal(t, "penstock", c.Name)
	require.Equal(t, stomp.Limits{Line: 4 << 10, Headers: 32, Head: 16 << 10, Body: 1 << 10}, c.LoginLimits)
	require.Equal(t, 10*time.Second, c.LoginWithin)
	require.Equal(t, stomp.HeartBeat{Send: 10 * time.Second, Receive: 10 * time.Second}, c.HeartBeat)
	require.InDelta(t, 1.5, c.Tolerance, 0)
	require.Equal(t, []int{256, 10_000, 256, 64, 16, 1_024, 64}, []int{
		c.Prefetch, c.MaxPrefetch, c.MaxSubscriptions, c.MaxTemporaries, c.MaxTransactions, c.MaxActions, c.MaxUnanswered,
	})
	require.Equal(t, int64(8<<20), c.MaxTransactionBytes)
	require.Equal(t, 10*time.Second, c.DrainWait)
	require.Equal(t, broker.PolicyDefault, c.Policy)
}

func TestNegativeLimitsAreTheDefaultsToo(t *testing.T) {
	c := Config{MaxSubscriptions: -1, MaxTransactionBytes: -1, Prefetch: -1, Tolerance: -1, DrainWait: -1}.filled()
	require.Equal(t, DefaultMaxSubscriptions, c.MaxSubscriptions)
	require.Equal(t, int64(DefaultMaxTransactionBytes), c.MaxTransactionBytes)
	require.Equal(t, DefaultPrefetch, c.Prefetch)
	require.InDelta(t, DefaultTolerance, c.Tolerance, 0)
	require.Equal(t, DefaultDrainWait, c.DrainWait)
}

func TestWhatIsSetStays(t *testing.T) {
	b := &broker.Broker{}
	c := Config{
		Broker: b, Name: "n", HeartBeat: stomp.HeartBeat{Send: -1, Receive: time.Second}, Tolerance: 0.5, Prefetch: 3,
		LoginLimits: stomp.Limits{Head: 100},
	}.filled()
	require.Same(t, b, c.Broker)
	require.Equal(t, stomp.HeartBeat{Receive: time.Second}, c.HeartBeat, "negative is off")
	require.InDelta(t, 1, c.Tolerance, 0, "less than one interval would cut off everybody")
	require.Equal(t, 3, c.Prefetch)
	require.Equal(t, stomp.Limits{Line: 4 << 10, Headers: 32, Head: 100, Body: 1 << 10}, c.LoginLimits)
}

func TestOpsAreNamedLikeTheirFrames(t *testing.T) {
	require.Equal(t, "SEND", OpSend.String())
	require.Equal(t, "SUBSCRIBE", OpSubscribe.String())
}
