package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
)

// ErrServerClosed is what Listen and Serve return after Shutdown or Close. It matches net.ErrClosed.
var ErrServerClosed = fmt.Errorf("transport: server closed: %w", net.ErrClosed)

var (
	errNoInit  = errors.New("transport: Server.Init is missing")
	errNothing = errors.New("transport: Serve has nothing to listen on")
)

// serverState is what a server is made of while it is used.
type serverState struct {
	mu      sync.Mutex
	phase   phase
	engine  *engine // nil before the first Serve
	bound   []*listener
	shuts   []func() // of what is accepted from
	addrs   []net.Addr
	opts    pipeline.Options
	group   pipeline.Group
	gate    gate
	from    origin
	watch   *watchdog
	checked atomic.Bool
	closing atomic.Bool             // no more channels
	over    chan struct{}           // closed when everything has ended
	hurry   context.CancelCauseFunc // ends a draining; nil: there is none
}

type phase uint8

const (
	phaseNew phase = iota
	phaseServing
	phaseStopping
)

// log is the server's logger.
func (s *Server) log() *slog.Logger {
	if s.Logger != nil {
		return s.Logger
	}
	return slog.Default()
}

// ready makes what begin and stop, whichever comes first, give to those who wait for the end. The caller
// holds s.mu.
func (s *Server) ready() {
	if s.over == nil {
		s.over = make(chan struct{})
	}
}

// begin starts the loops, once. The caller holds s.mu.
func (s *Server) begin() error {
	s.ready()
	switch {
	case s.phase == phaseStopping:
		return ErrServerClosed
	case s.Init == nil:
		return errNoInit
	case s.phase == phaseServing:
		return nil
	}
	s.opts = s.Options.WithDefaults()
	if s.opts.Logger == nil {
		s.opts.Logger = s.Logger
	}
	g := &s.gate
	g.maxConns, g.maxPerAddress = positive(s.MaxConns, DefaultMaxConns), positive(s.MaxPerAddress, DefaultMaxPerAddress)
	g.allow, g.logger = s.Allow, s.log()
	s.from = origin{opts: &s.opts, init: s.open, ending: s.closing.Load}
	e, err := newEngine(s.Loops, s.Goroutines, loopSettings{
		name: "server", logger: s.Logger, group: &s.group,
		onClosed: func(c net.Conn) { g.leave(ipOf(c.RemoteAddr())) },
	})
	if err != nil {
		return err
	}
	s.engine, s.phase = e, phaseServing
	s.watch = startWatchdog(e, positive(s.StallAfter, DefaultStallAfter), s.OnStall, s.log())
	return nil
}

// open is the Init of all channels.
func (s *Server) open(ch *pipeline.Channel) error {
	if err := s.Init(ch); err != nil {
		return err
	}
	if s.checked.Swap(true) {
		return nil
	}
	if err := ch.Pipeline().Check(); err != nil {
		s.log().Warn("transport: handlers do not fit together", "pipeline", ch.Pipeline().String(), "err", err)
	}
	return nil
}

// accept starts accepting from l. The caller holds s.mu.
func (s *Server) accept(l *listener) (*acceptor, error) {
	r := &reception{gate: &s.gate, from: &s.from, socket: &s.Socket, logger: s.log()}
	if !l.foreign && s.engine.events != nil {
		shut, err := s.engine.events.listen(l, r)
		if err != nil {
			l.shut()
			return nil, err
		}
		s.shuts = append(s.shuts, func() {
			l.shut()
			shut()
		})
		return nil, nil
	}
	a := newAcceptor(r, s.engine, l)
	s.shuts = append(s.shuts, a.shut)
	go a.run()
	return a, nil
}

// stop stops accepting. It returns false when that was done before.
func (s *Server) stop() bool {
	shuts, first := s.beginStop()
	for _, shut := range shuts { // without the lock: one may wait for a rule that asks the server something
		shut()
	}
	return first
}

func (s *Server) beginStop() (shuts []func(), first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready()
	if s.phase == phaseStopping {
		return nil, false
	}
	s.phase = phaseStopping
	s.closing.Store(true)
	closeListeners(s.bound)
	s.bound = nil
	shuts, s.shuts = s.shuts, nil
	return shuts, true
}

// finish ends the loops and everything else, after stop.
func (s *Server) finish() {
	if s.engine != nil {
		s.watch.stop()
		s.engine.close()
	}
	close(s.over)
}
