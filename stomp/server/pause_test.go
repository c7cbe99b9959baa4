package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp/server"
)

func TestAPublisherPausesWhileAQueueIsFull(t *testing.T) {
	p := newPeers(t)
	p.broker.MaxMessages = 8
	p.connect("A", "1.2")
	p.send("A", strings.Repeat("SEND\ndestination:/queue/a\nreceipt:r\n\nx\x00", 20))
	require.Len(t, p.got("A"), 5, "one more than half")
	require.False(t, p.conn("A").Channel().Reading())
	require.Equal(t, uint64(1), p.session("A").Stats().Pauses)
	p.advance("A", time.Hour) // heart-beats are off
	require.Empty(t, p.got("A"))
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/queue/a id:1", "")
	require.Len(t, p.got("A"), 15, "and goes on when there is room")
	require.Len(t, p.got("B"), 20)
	require.True(t, p.conn("A").Channel().Reading())
	require.Zero(t, p.broker.Stats().Refused)
}

// A client whose own acknowledgements make room is only slowed down.
func TestAPublisherThatAcknowledgesIsNotStopped(t *testing.T) {
	p := newPeers(t)
	p.broker.MaxMessages = 8
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 ack:client", "")
	p.send("A", strings.Repeat("SEND\ndestination:/queue/a\n\nx\x00", 5)+"ACK\nid:1-5\nreceipt:r\n\n\x00")
	require.Len(t, p.got("A"), 5)
	require.False(t, p.conn("A").Channel().Reading())
	p.advance("A", 100*time.Millisecond)
	require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
	require.True(t, p.conn("A").Channel().Reading())
	require.Zero(t, p.broker.Stats().Messages)
}

// When nobody acknowledges, the hard limit ends what the slowed client does.
func TestAPublisherThatDoesNotAcknowledgeMeetsTheLimit(t *testing.T) {
	p := newPeers(t)
	p.broker.MaxMessages = 8
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 ack:client", "")
	p.send("A", strings.Repeat("SEND\ndestination:/queue/a\n\nx\x00", 20))
	for range 10 {
		p.advance("A", 100*time.Millisecond)
	}
	p.refused("A", "full")
}

func TestAHookMayPauseItsSession(t *testing.T) {
	p := newPeers(t)
	p.broker.MaxMessages = 8
	p.cfg.Publish = func(s *server.Session, m *broker.Message, done func(error)) {
		pause, err := p.broker.Publish(m)
		s.Pause(pause)
		done(err)
	}
	p.connect("A", "1.2")
	p.send("A", strings.Repeat("SEND\ndestination:/queue/a\nreceipt:r\n\nx\x00", 20))
	require.Len(t, p.got("A"), 5)
	require.False(t, p.conn("A").Channel().Reading())
}

func TestAPauseEndsWithTheSession(t *testing.T) {
	for name, end := range map[string]func(p *peers){
		"reset": func(p *peers) { p.reset("A") },
		"close": func(p *peers) {
			require.NoError(p.t, p.conn("A").Channel().Close())
			p.pump()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			p.broker.MaxMessages = 4
			p.connect("A", "1.2")
			p.send("A", strings.Repeat("SEND\ndestination:/queue/a\n\nx\x00", 4))
			end(p)
			require.True(t, p.closed("A"))
			p.connect("B", "1.2")
			p.frame("B", "SUBSCRIBE destination:/queue/a id:1", "")
			require.Len(t, p.got("B"), 3)
		})
	}
}

func TestACommitPausesToo(t *testing.T) {
	p := newPeers(t)
	p.broker.MaxMessages = 4
	p.connect("A", "1.2")
	p.frame("A", "BEGIN transaction:t", "")
	p.send("A", strings.Repeat("SEND\ndestination:/queue/a\ntransaction:t\n\nx\x00", 3)+"COMMIT\ntransaction:t\nreceipt:r\n\n\x00")
	require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
	require.False(t, p.conn("A").Channel().Reading())
}
