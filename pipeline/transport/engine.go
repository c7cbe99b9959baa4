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
	closed func() bool             // no more channels; nil = never
}

// engine is the loops of one server or client: those over descriptors, and those for connections that
// have none, which start when the first comes.
type engine struct {
	events   *eventLoops // nil: not on this system, or not wanted
	count    int
	settings loopSettings

	mu     sync.Mutex
	conns  *connLoops
	closed bool
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

// open makes a channel over c, on a loop of its own choice. It takes c. g counts it; nil = nobody does.
// Safe for concurrent use.
func (e *engine) open(c net.Conn, from *origin, g *gate) {
	if e.events != nil && e.events.takeOver(c, from, g) {
		return
	}
	conns := e.goroutines()
	if conns == nil || from.closed != nil && from.closed() {
		_ = c.Close() // it was never used
		if g != nil {
			g.leave(c.RemoteAddr())
		}
	} else if conns.open(c, from.opts, from.init, from.opened) {
		return
	}
	if from.opened != nil {
		from.opened(nil)
	}
}

// goroutines are the loops for connections without descriptors; nil when the engine is closed.
func (e *engine) goroutines() *connLoops {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.conns == nil && !e.closed {
		e.conns = newConnLoops(e.count, e.settings)
	}
	return e.conns
}

// loops are all loops that exist now. Safe for concurrent use.
func (e *engine) loops() []*pipeline.Loop {
	var all []*pipeline.Loop
	if e.events != nil {
		all = e.events.loops()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.conns != nil {
		all = append(all, e.conns.loops()...)
	}
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
