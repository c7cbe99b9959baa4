package broker

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDestinationsAreListedWithTheirCounters(t *testing.T) {
	var b Broker
	defer b.Close()
	in := attach(t, &b, "/queue/a", ConsumerConfig{Credit: 2})
	attach(t, &b, "/topic/a", ConsumerConfig{Credit: 1})
	gone := attach(t, &b, "/topic/a", ConsumerConfig{Credit: 2})
	attach(t, &b, "/topic/*", ConsumerConfig{})
	temporary, err := b.Temporary(KindTopic)
	require.NoError(t, err)
	publish(t, &b, "/queue/a", "1", "2", "3")
	publish(t, &b, "/topic/a", "1", "2")
	in.all[0].Accept()
	gone.all[0].Accept()
	gone.Close()
	got := map[string]DestinationStats{}
	b.Destinations(func(s DestinationStats) bool { got[s.Name] = s; return true })
	require.Equal(t, map[string]DestinationStats{
		"/queue/a": {
			Name: "/queue/a", Kind: KindQueue, Consumers: 1, Messages: 2, Bytes: 18, Unsettled: 1,
			Published: 3, Delivered: 2, Acknowledged: 1,
		},
		"/topic/a": {
			Name: "/topic/a", Consumers: 1, Messages: 2, Bytes: 18, Unsettled: 1,
			Published: 2, Delivered: 3, Acknowledged: 1, Dropped: 1,
		},
		"/topic/*":       {Name: "/topic/*", Wildcard: true, Consumers: 1, Messages: 2, Bytes: 18, Published: 2},
		temporary.Name(): {Name: temporary.Name(), Temporary: true},
	}, got)
	require.Equal(t, Stats{
		Destinations: 3, Wildcards: 1, Consumers: 3, Messages: 6, Bytes: 54, Unsettled: 2, StoredBytes: 4 * (9 + messageCost),
		Published: 5, Delivered: 5, Acknowledged: 2, Dropped: 1,
	}, b.Stats())
	n := 0
	b.Destinations(func(DestinationStats) bool { n++; return false })
	require.Equal(t, 1, n)
}

func TestKindsAreReadableInJSON(t *testing.T) {
	text, err := json.Marshal(DestinationStats{Name: "/queue/a", Kind: KindQueue})
	require.NoError(t, err)
	require.Contains(t, string(text), `"kind":"queue"`)
}
