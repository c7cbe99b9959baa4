package transport

import (
	"net"
	"runtime"
	"sync"

	"github.com/penstock-go/penstock/pipeline"
)

// origin is what the connections of one server or one dialing have in common.
type origin struct {
	opts   *pipeline.Options
	init   func(*pipeline.Channel) error
	opened func(*pipeline.Channel) // told of each channel after init, of nil when there was none; nil = nobody
	ending func() bool             // no more channels are to be made; nil = never
}

// engine is the loops of one server or client: those over descriptors, and those for connections that
// have none, which start when the first comes.
type engine struct {
	events   *eventLoops // nil: not on this system, or not wanted
	count    int
	settings loopSettings

	mu       sync.Mutex
	conns    *connLoops
	closed   bool
	all      []*pipeline.Loop // as loops found them, with the conns of then
	allConns *connLoops
}

func newEngine(loops int, goroutines bool, s loopSettings) (*engine, error) {
	e := &engine{count: loopCount(loops), settings: s}
	if goroutines || !haveEventLoops {
		return e, nil
	}
	var err error
	e.events, err = newEventLoops(e.count, s)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func loopCount(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// open makes a channel over c, on a loop of its own choice. It takes c. in is where it came in, nil for a
// connection that was dialled; shared says that somebody else may have a duplicate of its descriptor. Safe for
// concurrent use, as far as in is.
func (e *engine) open(c net.Conn, from *origin, in *entrances, shared bool) {
	if e.events != nil && e.events.takeOver(c, from, in, shared) {
		return
	}
	conns := e.withoutPoller()
	if conns == nil || from.ending != nil && from.ending() {
		_ = c.Close() // it was never used
		if in != nil {
			in.gate.leave(ipOf(c.RemoteAddr()))
		}
	} else if conns.open(c, from.opts, from.init, from.opened) {
		return
	}
	if from.opened != nil {
		from.opened(nil)
	}
}

// withoutPoller are the loops for connections without descriptors; nil when the engine was closed before the
// first one came.
func (e *engine) withoutPoller() *connLoops {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.conns == nil && !e.closed {
		e.conns = newConnLoops(e.count, e.settings)
	}
	return e.conns
}

// loops are all loops that exist now. The list is made once for each set of loops, as the watchdog asks often; it must
// not be changed. Safe for concurrent use.
func (e *engine) loops() []*pipeline.Loop {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all != nil && e.allConns == e.conns {
		return e.all
	}
	var all []*pipeline.Loop
	if e.events != nil {
		all = append(all, e.events.loops()...)
	}
	if e.conns != nil {
		all = append(all, e.conns.loops()...)
	}
	e.all, e.allConns = all, e.conns
	return all
}

// onLoop reports whether the caller runs on one of the loops. Safe for concurrent use.
func (e *engine) onLoop() bool {
	for _, l := range e.loops() {
		if l.OnLoop() {
			return true
		}
	}
	return false
}

// stats is the sum over all loops.
func (e *engine) stats() (sum pipeline.LoopStats) {
	for _, l := range e.loops() {
		s := l.Stats()
		sum.Unread += s.Unread
		sum.Panics += s.Panics
		sum.Tasks += s.Tasks
		sum.Errors += s.Errors
	}
	return sum
}

// close closes all connections at once, ends the loops and waits for their goroutines; on one of the loops
// itself it does not wait for them. Safe for concurrent use.
func (e *engine) close() {
	e.mu.Lock()
	e.closed = true
	conns := e.conns
	e.mu.Unlock()
	if e.events != nil {
		e.events.close()
	}
	if conns != nil {
		conns.close()
	}
}
