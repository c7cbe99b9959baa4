package server_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp/server"
)

// A client that asks for its receipt and takes nothing is closed in time, and what it did not get is given to others.
func TestAClientThatTakesNothingIsClosed(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 prefetch-count:50", "")
	p.conn("A").Block()
	for range 20 {
		p.publish("/queue/a", big)
	}
	p.send("A", "DISCONNECT\nreceipt:bye\n\n\x00")
	p.advance("A", 10*time.Minute)
	require.True(t, p.closed("A"))
	_ = p.conn("A").CheckErr()
	p.connect("B", "1.2")
	p.frame("B", "SUBSCRIBE destination:/queue/a id:1", "")
	require.Len(t, p.got("B"), 20)
}

// Everything in front of the receipt arrives when the client takes it slowly.
func TestTheReceiptOfDisconnectComesBehindWhatIsQueued(t *testing.T) {
	p := newPeers(t)
	p.connect("A", "1.2")
	p.frame("A", "SUBSCRIBE destination:/queue/a id:1 prefetch-count:50", "")
	p.conn("A").Block()
	p.publish("/queue/a", big, big, big)
	p.pump()
	p.send("A", "DISCONNECT\nreceipt:bye\n\n\x00")
	p.publish("/queue/a", "too late")
	p.pump()
	p.conn("A").Unblock()
	p.pump()
	got := p.got("A")
	require.Len(t, got, 4)
	require.Equal(t, "RECEIPT bye", got[3])
	require.True(t, p.closed("A"))
	require.Equal(t, 1, p.broker.Stats().Messages)
	require.Equal(t, uint64(3), p.broker.Stats().Acknowledged)
}

// Shutdown in the middle of everything: what was taken over is answered or goes back.
func TestShutdownUnderLoad(t *testing.T) {
	for _, ack := range []string{"auto", "client"} {
		t.Run(ack, func(t *testing.T) {
			p := newPeers(t)
			p.connect("A", "1.2")
			p.frame("A", "SUBSCRIBE destination:/queue/a id:1 prefetch-count:50 ack:"+ack, "")
			p.send("A", "BEGIN\ntransaction:t\n\n\x00SEND\ndestination:/queue/b\ntransaction:t\n\nx\x00")
			p.conn("A").AcceptBytes(50_000)
			for range 20 {
				p.publish("/queue/a", big)
			}
			p.conn("A").RunPending()
			p.conn("A").Pipeline().FireEvent(pipeline.ShutdownEvent{})
			p.conn("A").Unblock()
			p.pump()
			for _, e := range p.conn("A").Events() {
				require.IsType(t, pipeline.ShutdownEvent{}, e)
			}
			got := p.got("A")
			require.Equal(t, "ERROR the server is shutting down", got[len(got)-1])
			require.True(t, p.closed("A"))
			s := p.broker.Stats()
			require.Zero(t, s.Unsettled)
			require.Zero(t, s.Consumers)
			want := 20
			if ack == "auto" {
				want -= len(got) - 1
			}
			require.Equal(t, want, s.Messages)
		})
	}
}

// Whatever Authenticate does, and whenever, a client is answered once.
func TestAuthenticateMayAnswerAnyhow(t *testing.T) {
	for name, ask := range map[string]func(ctx *pipeline.Context, l *server.Login){
		"both":       func(_ *pipeline.Context, l *server.Login) { l.Accept(); l.Refuse("no") },
		"twice":      func(_ *pipeline.Context, l *server.Login) { l.Accept(); l.Accept() },
		"and closes": func(ctx *pipeline.Context, l *server.Login) { ctx.Close(); l.Accept() },
		"and drains": func(ctx *pipeline.Context, l *server.Login) {
			l.Accept()
			ctx.Channel().Pipeline().Close(pipeline.CloseDrain, nil)
		},
		"reset": func(ctx *pipeline.Context, l *server.Login) {
			ctx.Channel().Pipeline().Close(pipeline.CloseReset, nil)
			l.Refuse("no")
		},
		"removes itself": func(ctx *pipeline.Context, l *server.Login) { ctx.Remove(); l.Accept(); ctx.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			p.cfg.Authenticate = ask
			p.send("A", "CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
			got := p.got("A")
			require.LessOrEqual(t, len(got), 1)
			if !p.closed("A") {
				require.Equal(t, []string{"CONNECTED"}, got)
			}
		})
	}
}

// Many goroutines answer at once, before and after the end.
func TestLateAnswersOfManyGoroutines(t *testing.T) {
	p := newPeers(t)
	var logins []*server.Login
	var dones []func(error)
	p.cfg.Authenticate = func(_ *pipeline.Context, l *server.Login) { logins = append(logins, l) }
	p.cfg.Publish = func(_ *server.Session, m *broker.Message, done func(error)) {
		m.Release()
		dones = append(dones, done)
	}
	p.send("A", "CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
	var all sync.WaitGroup
	for range 8 {
		all.Go(logins[0].Accept)
	}
	all.Wait()
	p.pump()
	require.Equal(t, []string{"CONNECTED"}, p.got("A"))
	p.send("A", "BEGIN\ntransaction:t\n\n\x00"+strings.Repeat("SEND\ndestination:/queue/a\ntransaction:t\n\nx\x00", 3)+"COMMIT\ntransaction:t\nreceipt:r\n\n\x00")
	for i, done := range dones {
		for range 4 {
			all.Go(func() { done(nil) })
		}
		if i == 1 {
			all.Wait()
			p.pump()
			require.Empty(t, p.got("A"), "one is missing")
		}
	}
	all.Wait()
	p.pump()
	require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
	p.send("A", "SEND\ndestination:/queue/a\nreceipt:s\n\nx\x00")
	p.conn("A").PeerReset()
	p.pump()
	_ = p.conn("A").CheckErr()
	for _, done := range dones {
		all.Go(func() { done(errors.New("too late")) })
	}
	all.Wait()
	p.pump()
	require.Empty(t, p.got("A"))
}

// A hook that ends the connection is not called on with what is gone.
func TestHooksThatEndTheirConnection(t *testing.T) {
	ends := map[string]func(ch *pipeline.Channel){
		"drain": func(ch *pipeline.Channel) { ch.Pipeline().Close(pipeline.CloseDrain, nil) },
		"now":   func(ch *pipeline.Channel) { ch.Pipeline().Close(pipeline.CloseNow, nil) },
		"reset": func(ch *pipeline.Channel) { ch.Pipeline().Close(pipeline.CloseReset, nil) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			for _, hook := range []string{"publish", "authorize", "subscribe"} {
				p := newPeers(t)
				if hook == "publish" {
					p.cfg.Publish = func(s *server.Session, m *broker.Message, done func(error)) {
						end(s.Channel())
						m.Release()
						done(nil)
					}
				} else {
					p.cfg.Authorize = func(s *server.Session, op server.Op, _ string) error {
						if hook == "authorize" || op == server.OpSubscribe {
							end(s.Channel())
						}
						return nil
					}
				}
				p.connect("A", "1.2")
				p.send("A", "BEGIN\ntransaction:t\n\n\x00"+strings.Repeat("SEND\ndestination:/topic/a\ntransaction:t\n\nx\x00", 3)+
					"COMMIT\ntransaction:t\nreceipt:r\n\n\x00SUBSCRIBE\nid:1\ndestination:/queue/q\n\n\x00SEND\ndestination:/queue/q\n\nx\x00")
				p.advance("A", time.Minute)
				require.True(t, p.closed("A"))
				_ = p.conn("A").CheckErr()
				require.Zero(t, p.broker.Stats().Consumers)
				require.Zero(t, p.broker.Stats().Unsettled)
			}
		})
	}
}

// A connection that only drains takes nothing more, for as long as that may take.
func TestADrainingConnectionTakesNothingMore(t *testing.T) {
	for _, ack := range []string{"auto", "client"} {
		t.Run(ack, func(t *testing.T) {
			p := newPeers(t)
			p.connect("A", "1.2")
			p.frame("A", "SUBSCRIBE destination:/queue/a id:1 prefetch-count:50 ack:"+ack, "")
			p.conn("A").Block()
			p.publish("/queue/a", "first")
			p.pump()
			p.conn("A").PeerClose()
			p.pump()
			require.False(t, p.closed("A"))
			p.publish("/queue/a", "second")
			p.pump()
			p.connect("B", "1.2")
			p.frame("B", "SUBSCRIBE destination:/queue/a id:1", "")
			require.Contains(t, p.got("B"), "MESSAGE 1 second")
			p.advance("A", time.Hour)
			_ = p.conn("A").CheckErr()
			require.Len(t, p.got("B"), map[string]int{"auto": 1, "client": 0}[ack], "what was on its way comes when A is gone")
			require.Zero(t, p.broker.Stats().Messages)
		})
	}
}

// An ERROR for a frame that could not be decoded has the receipt as its client meant it.
func TestReceiptsOfBadFramesAreReadByVersion(t *testing.T) {
	for version, want := range map[string]string{"1.0": "a\\cb", "1.1": "a:b", "1.2": "a:b"} {
		p := newPeers(t)
		p.connect("A", version)
		p.send("A", "SEND\nreceipt:a\\cb\nbad\n\n\x00")
		require.Equal(t, want, p.refused("A", "bad-header").Headers.Get("receipt-id"), version)
	}
}
