package server_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp/server"
)

func TestRequestAndReplyOverATemporaryQueue(t *testing.T) {
	for _, kind := range []string{"queue", "topic"} {
		t.Run(kind, func(t *testing.T) {
			p := newPeers(t)
			p.connect("client", "1.2")
			p.connect("service", "1.1")
			local := "/temp-" + kind + "/answers"
			p.frame("service", "SUBSCRIBE destination:/queue/work id:w", "")
			p.frame("client", "SUBSCRIBE destination:"+local+" id:a", "")
			p.frame("client", "SEND destination:/queue/work reply-to:"+local, "question")
			f := p.take("service")
			reply := strings.Clone(f.Headers.Get("reply-to"))
			require.Regexp(t, "^/temp-"+kind+"/[0-9a-f]{32}$", reply)
			require.Equal(t, "question", f.Body.String())
			p.frame("service", "SEND destination:"+reply, "answer")
			f = p.take("client")
			require.Equal(t, "answer", f.Body.String())
			require.Equal(t, "a", f.Headers.Get("subscription"))
			require.Equal(t, reply, f.Headers.Get("destination"))
			require.Equal(t, local, p.session("client").Subscriptions()[0].Destination)
		})
	}
}

func TestLocalNamesBelongToTheirSession(t *testing.T) {
	p := newPeers(t)
	for _, c := range []string{"A", "B"} {
		p.connect(c, "1.2")
		p.frame(c, "SEND destination:/temp-queue/x", "for "+c) // waits until there is a subscription
	}
	for _, c := range []string{"A", "B"} {
		p.frame(c, "SUBSCRIBE destination:/temp-queue/x id:1", "")
		require.Equal(t, []string{"MESSAGE 1 for " + c}, p.got(c))
	}
}

func TestOnlyTheOwnerMaySubscribe(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/queue/work id:w", "")
	p.frame("A", "SEND destination:/queue/work reply-to:/temp-queue/x", "")
	name := strings.Clone(p.take("B").Headers.Get("reply-to"))
	p.frame("A", "SUBSCRIBE destination:"+name+" id:1 receipt:r", "")
	require.Equal(t, []string{"RECEIPT r"}, p.got("A"), "by the broker's name, too")
	p.frame("B", "SUBSCRIBE destination:"+name+" id:1", "")
	p.refused("B", broker.ErrNotOwner.Error())
}

// A service must not be cut off because a client that asked has left.
func TestWhatIsSentToAnOwnerThatHasLeftIsDroppedAndCounted(t *testing.T) {
	for name, publish := range map[string]bool{"broker": false, "hook": true} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			p.connect("client", "1.2")
			if publish {
				p.cfg.Publish = func(_ *server.Session, m *broker.Message, done func(error)) {
					_, err := p.broker.Publish(m)
					done(err)
				}
			}
			p.connect("service", "1.2")
			p.frame("service", "SUBSCRIBE destination:/queue/work id:w", "")
			p.frame("client", "SEND destination:/queue/work reply-to:/temp-queue/x", "")
			reply := strings.Clone(p.take("service").Headers.Get("reply-to"))
			p.frame("client", "DISCONNECT", "")
			p.frame("service", "SEND receipt:r destination:"+reply, "answer")
			require.Equal(t, []string{"RECEIPT r"}, p.got("service"))
			require.Equal(t, uint64(1), p.session("service").Stats().Unroutable)
		})
	}
}

func TestTemporaryDestinationsAreLimited(t *testing.T) {
	for _, frame := range []string{
		"SUBSCRIBE id:x destination:/temp-topic/more", "SEND destination:/temp-queue/more",
		"SEND destination:/queue/a reply-to:/temp-queue/more",
	} {
		p := newPeers(t)
		p.connect("A", "1.2")
		for i := range server.DefaultMaxTemporaries {
			p.frame("A", "SEND destination:/temp-queue/"+strconv.Itoa(i), "x")
		}
		require.Equal(t, server.DefaultMaxTemporaries, p.session("A").Stats().Temporaries)
		require.Empty(t, p.got("A"))
		p.frame("A", frame, "x")
		p.refused("A", "too many temporary destinations")
		require.Zero(t, p.broker.Stats().Destinations, "they end with the session")
	}
}

func TestReplyToOfOthersPassesThrough(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/topic/a id:1", "")
	p.frame("A", "SEND destination:/topic/a reply-to:/queue/b", "x")
	require.Equal(t, "/queue/b", p.take("A").Headers.Get("reply-to"))
}
