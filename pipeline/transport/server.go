package transport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// Server accepts connections and runs a pipeline over each. Set the fields before the first call and leave
// them alone afterwards. A server is used once: after Shutdown or Close make another.
type Server struct {
	// Init fills the pipeline of each new channel, on the channel's loop. Several loops may be in it at once:
	// what it shares needs a lock. Its error closes the channel. Required.
	Init func(ch *pipeline.Channel) error
	// Options are the settings of all channels. A nil Logger in it means that of the server.
	Options pipeline.Options
	// Loops is the number of event loops, one goroutine each. 0 = GOMAXPROCS.
	Loops int
	// Socket are the settings of listeners and connections.
	Socket SocketOptions
	// MaxConns limits the open connections; who comes then is reset. 0 = 10,000.
	MaxConns int
	// MaxPerAddress limits the open connections of one peer IP address. 0 = 1,000. Unix sockets have no
	// peer address: only MaxConns counts for them.
	MaxPerAddress int
	// Allow is asked for each new connection before anything is spent on it; false resets the peer. It runs on
	// the goroutine that accepts: an event loop, or with Goroutines, and for listeners given to Serve, one of
	// the listener's own. Several may be in it at once. It must not block: it keeps the connections of its
	// loop waiting, and StallAfter does not count while accepting. nil = everybody.
	Allow func(peer net.Addr) bool
	// DrainTimeout is how long Serve waits for open connections after its context has ended. 0 = 15 s.
	DrainTimeout time.Duration
	// StallAfter is how long a callback of a channel, a task or a timer may keep an event loop before that is
	// reported. 0 = 100 ms.
	StallAfter time.Duration
	// OnStall gets the reports, one at a time, on a goroutine of the server; no other stall is seen meanwhile.
	// It may call Close or Shutdown: the end of the server does not wait for a report. nil = they are logged.
	OnStall func(Stall)
	// Goroutines runs every connection as a net.Conn with goroutines of its own instead of on event loops
	// over the system's poller. It is always so where there is no such poller (Windows).
	Goroutines bool
	// Logger gets what concerns no single channel. nil = slog.Default().
	Logger *slog.Logger

	serverState
}

// Defaults of Server.
const (
	DefaultMaxConns      = 10_000
	DefaultMaxPerAddress = 1_000
	DefaultDrainTimeout  = 15 * time.Second
	DefaultStallAfter    = 100 * time.Millisecond
)

func positive[T int | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// Listen binds the addresses, all or none, and accepts nothing yet; the kernel lets connections wait.
// An address is "tcp://host:port" ("tcp4", "tcp6" for one protocol, no scheme for tcp), "unix:///path",
// "unix://@name" in Linux's abstract name space, or "fd://3" for a listening socket that the process was
// started with. ErrAddress: it is none of these. ErrServerClosed: after Shutdown or Close. Safe for
// concurrent use.
func (s *Server) Listen(parent context.Context, addrs ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == phaseStopping {
		return ErrServerClosed
	}
	var all []*listener
	for _, a := range addrs {
		some, err := bind(parent, a, &s.Socket, loopCount(s.Loops))
		if err != nil {
			closeListeners(all)
			return err
		}
		all = append(all, some...)
	}
	s.bound = append(s.bound, all...)
	for _, l := range all {
		if !l.alone || l.loop == 0 {
			s.addrs = append(s.addrs, l.addr)
		}
	}
	return nil
}

// Addrs are the addresses that Listen has bound, in its order, with the ports that the system chose. Safe
// for concurrent use.
func (s *Server) Addrs() []net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]net.Addr(nil), s.addrs...)
}

// ListenAndServe is Listen and Serve.
func (s *Server) ListenAndServe(parent context.Context, addrs ...string) error {
	if err := s.Listen(parent, addrs...); err != nil {
		return err
	}
	return s.Serve(parent)
}

// Serve accepts connections on what Listen has bound and on the listeners given, and returns when the
// server has ended, with all goroutines. When parent ends it shuts the server down with DrainTimeout and
// returns nil, or the error of Shutdown when connections had to be cut. After Shutdown and Close by
// somebody else, also while it is shutting down itself, it returns nil once they are done. When a listener given is closed by somebody else the
// server shuts down likewise and Serve returns the listener's error. Any other error, of a call that can't
// begin, closes the server.
//
// The server closes the listeners. From connections that have a descriptor (syscall.Conn) it takes it
// over for an event loop and closes them; others (tls.Conn) get goroutines. Safe for concurrent use.
func (s *Server) Serve(parent context.Context, listeners ...net.Listener) error {
	acceptors, err := s.serve(listeners)
	if errors.Is(err, ErrServerClosed) {
		return err // and whoever has closed it goes on
	}
	if err != nil {
		_ = s.Close()
		return err
	}
	failed := make(chan error, len(acceptors))
	for _, a := range acceptors {
		go func() {
			if <-a.done; a.err != nil {
				failed <- a.err
			}
		}()
	}
	select {
	case <-s.over:
		return nil
	case err = <-failed:
	case <-parent.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(parent), positive(s.DrainTimeout, DefaultDrainTimeout))
	defer cancel()
	cut := s.Shutdown(drain)
	if errors.Is(cut, ErrServerClosed) {
		cut = nil // Close by somebody else ended the drain; that is no failure, whichever of the two came first
	}
	return errors.Join(err, cut)
}

func (s *Server) serve(listeners []net.Listener) (acceptors []*acceptor, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = s.begin(); err == nil && len(listeners) == 0 && len(s.bound) == 0 && len(s.shuts) == 0 {
		err = errNothing
	}
	all := s.bound
	s.bound = nil
	for _, ln := range listeners {
		all = append(all, &listener{Listener: ln, addr: ln.Addr(), foreign: true})
	}
	for i, l := range all {
		if err != nil {
			closeListeners(all[i:])
			break
		}
		var a *acceptor
		if a, err = s.accept(l); a != nil && l.foreign {
			acceptors = append(acceptors, a)
		}
	}
	return acceptors, err
}

// Channels are the open channels. Safe for concurrent use.
func (s *Server) Channels() *pipeline.Group { return &s.group }

// Shutdown stops accepting, sends pipeline.ShutdownEvent through every pipeline, closes every channel by
// CloseDrain, and returns when all are gone. When parent ends before, it closes the rest at once and returns
// parent's error. A second call waits for the first. pipeline.ErrOnLoop: it can't wait on an event loop of
// the server. Safe for concurrent use.
func (s *Server) Shutdown(parent context.Context) error {
	if s.onLoop() {
		return pipeline.ErrOnLoop
	}
	if !s.stop() {
		select {
		case <-s.over:
			return nil
		case <-parent.Done():
			s.endDrain()
			s.waitCut()
			return context.Cause(parent)
		}
	}
	if s.engine == nil {
		s.finish()
		return nil
	}
	err := s.drain(parent)
	go s.finish()
	if err != nil {
		s.waitCut()
		return err
	}
	<-s.over
	return nil
}

// drain closes the channels in good order.
func (s *Server) drain(parent context.Context) error {
	parent, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	s.mu.Lock()
	s.hurry = cancel
	s.mu.Unlock()
	if err := s.settle(parent); err != nil {
		return err
	}
	s.group.FireEvent(pipeline.ShutdownEvent{})
	s.group.CloseAll(pipeline.CloseDrain)
	return s.group.Wait(parent)
}

// settle waits until each loop has seen that no more channels are to be made, so that the group has all.
func (s *Server) settle(parent context.Context) error {
	loops := s.engine.loops()
	seen := make(chan struct{}, len(loops))
	for _, l := range loops {
		if l.Post(func() { seen <- struct{}{} }) != nil {
			seen <- struct{}{}
		}
	}
	for range loops {
		select {
		case <-seen:
		case <-parent.Done():
			return context.Cause(parent)
		}
	}
	return nil
}

// cutTime is how long Shutdown waits for the loops to end after its context has: a callback that blocks
// must not keep it.
const cutTime = time.Second

// waitCut waits for what finish does after the channels were cut.
func (s *Server) waitCut() {
	patience := time.NewTimer(cutTime)
	defer patience.Stop()
	select {
	case <-s.over:
	case <-patience.C:
	}
}

func (s *Server) onLoop() bool {
	s.mu.Lock()
	e := s.engine
	s.mu.Unlock()
	return e != nil && e.onLoop()
}

// Close closes the listeners and all channels at once, and returns nil when all goroutines have ended; on
// an event loop of the server it does not wait for that. Safe for concurrent use.
func (s *Server) Close() error {
	onLoop := s.onLoop()
	if s.stop() {
		go s.finish()
	} else {
		s.endDrain()
	}
	if !onLoop {
		<-s.over
	}
	return nil
}

// endDrain makes a Shutdown that is waiting close the rest.
func (s *Server) endDrain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hurry != nil {
		s.hurry(ErrServerClosed)
	}
}
