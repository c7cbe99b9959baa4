package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp/server"
)

func TestSubscriptionsAreLimitedAndUnique(t *testing.T) {
	p := newPeers(t)
	p.cfg.MaxSubscriptions = 2
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:1", "")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:2", "")
	require.Equal(t, 2, p.broker.Stats().Consumers)
	p.frame("A", "UNSUBSCRIBE id:1", "")
	p.frame("A", "SUBSCRIBE destination:/topic/b id:3", "")
	require.Equal(t, 2, p.broker.Stats().Consumers)
	require.Empty(t, p.got("A"))
	p.frame("A", "SUBSCRIBE destination:/topic/c id:4 receipt:r", "")
	require.Equal(t, "r", p.refused("A", "too many subscriptions").Headers.Get("receipt-id"))
	require.Zero(t, p.broker.Stats().Consumers, "they end with the session")
}

func TestASubscriptionIDIsTakenOnce(t *testing.T) {
	for _, version := range []string{"1.0", "1.1", "1.2"} {
		p := newPeers(t)
		p.connect("A", version)
		p.frame("A", "SUBSCRIBE destination:/topic/a id:1", "")
		p.frame("A", "SUBSCRIBE destination:/topic/b id:1", "")
		p.refused("A", "subscription exists already")
	}
}

func TestAnIDMayBeUsedAgainAfterUnsubscribe(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	for range 3 {
		p.frame("A", "SUBSCRIBE destination:/topic/a id:1", "")
		p.publish("/topic/a", "x")
		p.pump()
		p.frame("A", "UNSUBSCRIBE id:1", "")
		p.publish("/topic/a", "nobody")
	}
	require.Equal(t, []string{"MESSAGE 1 x", "MESSAGE 1 x", "MESSAGE 1 x"}, p.got("A"))
	require.Zero(t, p.broker.Stats().Consumers)
}

func TestOldClientsSubscribeByDestination(t *testing.T) {
	p := newPeers(t)
	p.send("A", "CONNECT\n\n\x00SUBSCRIBE\ndestination:/topic/a\n\n\x00SUBSCRIBE\ndestination:/topic/a\nid:/topic/a\n\n\x00")
	p.publish("/topic/a", "x")
	p.pump()
	require.Equal(t, []string{"CONNECTED", "MESSAGE x", "MESSAGE /topic/a x"}, p.got("A"))
	p.frame("A", "UNSUBSCRIBE destination:/topic/a", "")
	require.Equal(t, 1, p.broker.Stats().Consumers)
	p.frame("A", "UNSUBSCRIBE id:/topic/a", "")
	require.Zero(t, p.broker.Stats().Consumers)
	p.frame("A", "SUBSCRIBE destination:/topic/a id:1 ack:client-individual", "")
	p.refused("A", "ack mode is not known")
}

func TestTopicsMayHaveWildcards(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/*/b id:1", "")
	p.frame("A", "SUBSCRIBE destination:/topic/a/> id:2", "")
	p.publish("/topic/x/b", "one")
	p.publish("/topic/a/c/d", "two")
	p.pump()
	require.ElementsMatch(t, []string{"MESSAGE 1 one", "MESSAGE 2 two"}, p.got("A"))
}

// prefetchOf tells how many of 100 waiting messages a subscription with these headers gets without acknowledging.
func prefetchOf(t *testing.T, cfg server.Config, headers string) int {
	t.Helper()
	p := newPeers(t)
	cfg.Broker = p.cfg.Broker
	p.cfg = cfg
	for range 100 {
		p.publish("/queue/a", "x")
	}
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 ack:client "+headers, "")
	return len(p.got("A"))
}

func TestPrefetchBoundsWhatIsUnsettled(t *testing.T) {
	require.Equal(t, 100, prefetchOf(t, server.Config{}, ""), "256 by default")
	require.Equal(t, 7, prefetchOf(t, server.Config{}, "prefetch-count:7"))
	require.Equal(t, 9, prefetchOf(t, server.Config{Prefetch: 9}, ""))
	require.Equal(t, 11, prefetchOf(t, server.Config{MaxPrefetch: 11}, ""))
	require.Equal(t, 11, prefetchOf(t, server.Config{MaxPrefetch: 11}, "prefetch-count:50"))
	require.Equal(t, 11, prefetchOf(t, server.Config{MaxPrefetch: 11}, "prefetch-count:0"), "as many as possible")
}

func TestUnsubscribeGivesBackWhatIsUnsettled(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 ack:client-individual", "")
	p.publish("/queue/a", "1", "2", "3")
	p.pump()
	p.frame("A", "ACK id:1-2", "")
	p.frame("A", "UNSUBSCRIBE id:1 receipt:r", "")
	require.Equal(t, []string{"MESSAGE 1 1", "MESSAGE 1 2", "MESSAGE 1 3", "RECEIPT r"}, p.got("A"))
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/queue/a id:1", "")
	require.Equal(t, []string{"MESSAGE 1 again 1", "MESSAGE 1 again 3"}, p.got("B"))
	p.frame("A", "ACK id:1-1", "")
	p.refused("A", "no such message")
}

// What is on its way to the kernel at UNSUBSCRIBE counts as accepted when it gets there; the rest goes back.
func TestUnsubscribeLosesNothingThatWasNotWritten(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 prefetch-count:10", "")
	p.conn("A").Block()
	big := string(make([]byte, 40_000))
	p.publish("/queue/a", "first"+big, "second"+big, "third"+big)
	p.pump()
	p.conn("A").FeedWhole("UNSUBSCRIBE\nid:1\n\n\x00") // read when the socket takes something again
	require.Equal(t, 3, p.broker.Stats().Unsettled)
	p.conn("A").Unblock()
	p.pump()
	written := len(p.got("A"))
	require.GreaterOrEqual(t, written, 2)
	s := p.broker.Stats()
	require.Equal(t, uint64(written), s.Acknowledged)
	require.Equal(t, 3-written, s.Messages)
	require.Zero(t, s.Consumers)
}

func TestTheBrokersEndIsTold(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:7", "")
	p.broker.Close()
	p.pump()
	f := p.refused("A", broker.ErrClosed.Error())
	require.Equal(t, "7", f.Headers.Get("subscription"))
	p.connect("B", "1.0")
	p.frame("B", "SUBSCRIBE destination:/topic/a", "")
	p.refused("B", broker.ErrClosed.Error())
}
