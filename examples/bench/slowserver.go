package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	stompserver "github.com/penstock-go/penstock/stomp/server"
)

const (
	slowTopic = "/topic/slow"
	slowLogin = "slow" // of the subscriber that reads slowly
	sendLogin = "publisher"

	slowPrefetch = 16       // messages on their way to a subscriber
	slowBuffer   = 16 << 10 // octets in the kernel on each side, and queued in a channel
)

// slowServer is a STOMP server on one event loop, with buffers so small that a slow reader is noticed soon.
type slowServer struct {
	broker    broker.Broker
	transport transport.Server
	began     time.Time
	accepted  []atomic.Int64 // by message: when SEND was taken, since began
	taken     atomic.Int64   // messages that were
	slow      atomic.Pointer[stompserver.Session]
	publisher atomic.Pointer[stompserver.Session]
	stop      context.CancelFunc
	ended     chan error
}

// slowInstaller installs STOMP.
type slowInstaller struct{ cfg stompserver.Config }

// HandleAdded adds the session.
func (i *slowInstaller) HandleAdded(ctx *pipeline.Context) error {
	return stompserver.Install(ctx, i.cfg)
}

// startSlowServer serves sessions whose subscriptions have this policy beyond backlog messages; most is how many may be
// published.
func startSlowServer(policy broker.Policy, backlog, most int) (*slowServer, error) {
	s := &slowServer{began: time.Now(), accepted: make([]atomic.Int64, most), ended: make(chan error, 1)}
	cfg := stompserver.Config{
		Broker: &s.broker, Authorize: s.authorize, Policy: policy, MaxBacklog: backlog, Prefetch: slowPrefetch,
		HeartBeat: stomp.HeartBeat{Send: -1, Receive: -1},
	}
	quiet := slog.New(slog.DiscardHandler) // a session that is ended for being slow is an error that gets logged
	s.transport = transport.Server{
		Init:    func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&slowInstaller{cfg}) },
		Options: pipeline.Options{WriteHigh: slowBuffer, WriteLow: slowBuffer / 2, Logger: quiet},
		Socket:  transport.SocketOptions{SendBuffer: slowBuffer}, Loops: 1, DrainTimeout: time.Millisecond, Logger: quiet,
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	if err := s.transport.Listen(ctx, "tcp://127.0.0.1:0"); err != nil {
		stop()
		return nil, err
	}
	go func() { s.ended <- s.transport.Serve(ctx) }()
	return s, nil
}

// authorize notes when a message comes in and who the sessions are.
func (s *slowServer) authorize(session *stompserver.Session, op stompserver.Op, _ string) error {
	switch {
	case op == stompserver.OpSend:
		n := s.taken.Load()
		s.accepted[n].Store(int64(time.Since(s.began)))
		s.taken.Store(n + 1)
		s.publisher.Store(session)
	case session.Login() == slowLogin:
		s.slow.Store(session)
	}
	return nil
}

// slowCounts are what the server counted in a round.
type slowCounts struct {
	published, delivered, dropped, refused uint64 // by the broker
	pauses                                 uint64 // of the publisher
	consumers                              int    // that are left
	backlog                                int    // of the slow subscriber
	slow                                   bool   // it can still be asked
	ended                                  bool   // by its policy
	slowDelivered, slowDropped             uint64
}

// counts asks the sessions on their loop.
func (s *slowServer) counts() slowCounts {
	b := s.broker.Stats()
	c := slowCounts{
		published: b.Published, delivered: b.Delivered, dropped: b.Dropped, refused: b.Refused, consumers: b.Consumers,
	}
	onLoop(s.publisher.Load(), func(p *stompserver.Session) { c.pauses = p.Stats().Pauses })
	onLoop(s.slow.Load(), func(session *stompserver.Session) {
		for _, sub := range session.Subscriptions() {
			c.slow, c.backlog = true, sub.Broker.Backlog
			c.slowDelivered, c.slowDropped = sub.Broker.Delivered, sub.Broker.Dropped
		}
	})
	return c
}

// onLoop runs f on the loop of a session, and waits for it.
func onLoop(session *stompserver.Session, f func(*stompserver.Session)) {
	if session == nil {
		return
	}
	done := make(chan struct{})
	if err := session.Channel().Loop().Post(func() { f(session); close(done) }); err == nil {
		<-done
	}
}

// close cuts all connections.
func (s *slowServer) close() error {
	s.stop()
	<-s.ended // an error says that connections had to be cut: they had
	s.broker.Close()
	return s.transport.Close()
}
