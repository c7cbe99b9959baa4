package server_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
)

func TestShutdownIsTold(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 ack:client", "")
	p.conn("A").Pipeline().FireEvent(pipeline.ShutdownEvent{})
	p.pump()
	p.refused("A", "shutting down")
	require.Zero(t, p.broker.Stats().Consumers)
}

func TestShutdownWaitsForPublish(t *testing.T) {
	p := newPeers(t)
	h := publishSlowly(p)
	p.connect("A", "1.2")
	p.send("A", sendFrame("1"))
	p.conn("A").Pipeline().FireEvent(pipeline.ShutdownEvent{})
	require.NoError(t, p.conn("A").Channel().Close())
	p.pump()
	require.False(t, p.closed("A"))
	h.done["1"](nil)
	p.pump()
	require.Equal(t, []string{"RECEIPT 1", "ERROR the server is shutting down"}, p.got("A"))
	require.True(t, p.closed("A"))
}

func TestShutdownBeforeConnectIsLeftToTheClose(t *testing.T) {
	p := newPeers(t)
	p.conn("A").Pipeline().FireEvent(pipeline.ShutdownEvent{})
	p.pump()
	require.Empty(t, p.got("A"))
	require.False(t, p.closed("A"))
	require.Len(t, p.conn("A").Events(), 1, "others hear of it too")
}

func TestErrorsLinger(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.conn("A").PeerLingers(true)
	p.frame("A", "SEND", "")
	require.True(t, p.conn("A").FINSent())
	require.False(t, p.closed("A"), "the peer may still be sending: a reset would destroy the ERROR on its way")
	p.advance("A", pipeline.Options{}.WithDefaults().Linger)
	p.refused("A", "SEND without destination")
	require.False(t, p.conn("A").ResetSent())
}

// What goes into the message header fits into one line of every version.
func TestErrorsFitEveryVersion(t *testing.T) {
	for _, version := range []string{"1.0", "1.1", "1.2"} {
		p := newPeers(t)
		p.cfg.Authorize = refuseAll("no:\r\n\x00\x01" + strings.Repeat("ä", 500))
		p.connect("A", version)
		p.frame("A", "SEND destination:/topic/a receipt:r", "")
		f := p.take("A")
		message := f.Headers.Get("message")
		require.True(t, strings.HasPrefix(message, "no:"), message)
		require.LessOrEqual(t, len(message), 256)
		require.NotContains(t, message, "\n")
		require.Contains(t, f.Body.String(), strings.Repeat("ä", 500), "the body has all of it")
		require.True(t, p.closed("A"))
	}
}

func TestALostConnectionEndsEverything(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 ack:client", "")
	p.frame("A", "SUBSCRIBE destination:/temp-queue/mine id:2", "")
	p.frame("A", "BEGIN transaction:t", "")
	p.frame("A", "SEND destination:/queue/b transaction:t", "lost")
	p.publish("/queue/a", "kept")
	p.pump()
	p.reset("A")
	s := p.broker.Stats()
	require.Zero(t, s.Consumers)
	require.Equal(t, 1, s.Messages)
	require.Equal(t, 1, s.Destinations, "no temporary destination, nothing of the transaction")
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/queue/a id:1 ack:client", "")
	require.Equal(t, []string{"MESSAGE 1 again kept"}, p.got("B"))
}
