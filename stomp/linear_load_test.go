//go:build load

package stomp

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// trickle feeds n header lines one octet at a time through a pipeline and returns the best of some runs.
func trickle(t *testing.T, n int) time.Duration {
	t.Helper()
	wire := "SEND\n" + strings.Repeat("header:value\n", n) + "\n\x00"
	best := time.Hour
	for range 7 {
		d := &Decoder{Limits: Limits{Headers: 1 << 20, Head: 1 << 24}}
		ch, err := embedded.New(embedded.Config{}, codec.NewDecoder[any](d))
		require.NoError(t, err)
		start := time.Now()
		for i := range len(wire) {
			require.NoError(t, ch.FeedString(wire[i:i+1]))
		}
		best = min(best, time.Since(start))
		f, ok := ch.ReadInbound().(*Frame)
		require.True(t, ok)
		require.Len(t, f.Headers, n)
		f.Release()
		_, err = ch.Finish()
		require.NoError(t, err)
	}
	return best
}

func TestLoadTimeDoublesWhenTrickledHeadersDo(t *testing.T) {
	last := time.Duration(0)
	for _, n := range []int{1000, 2000, 4000, 8000} {
		took := trickle(t, n)
		t.Logf("%5d header lines, octet by octet: %v", n, took)
		if last > 0 {
			require.LessOrEqual(t, took.Seconds()/last.Seconds(), 2.3, "%d lines", n)
		}
		last = took
	}
}
