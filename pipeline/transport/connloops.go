package transport

import (
	"net"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
)

// connLoops are event loops for connections that no poller can watch: each sleeps until a connection's
// goroutine, a foreign call or a timer wakes it.
type connLoops struct {
	all      []*connLoop
	settings loopSettings
	next     atomic.Uint32
	group    sync.WaitGroup // all goroutines, those of the connections included
}

// newConnLoops starts n loops, at least one.
func newConnLoops(n int, s loopSettings) *connLoops {
	e := &connLoops{settings: s}
	for i := range max(n, 1) {
		e.all = append(e.all, newConnLoop(e, s.name+"/"+strconv.Itoa(i)))
	}
	for _, l := range e.all {
		e.group.Go(l.main)
	}
	return e
}

// loops are the loops themselves. Safe for concurrent use.
func (e *connLoops) loops() []*pipeline.Loop {
	all := make([]*pipeline.Loop, len(e.all))
	for i, l := range e.all {
		all[i] = l.core
	}
	return all
}

// open makes a channel over c on one of the loops and runs init there, then opened (nil = nobody wants to
// know), whether init failed or not. It takes c. When the loops are ending it closes c and returns false.
// Safe for concurrent use.
func (e *connLoops) open(c net.Conn, opts *pipeline.Options, init func(*pipeline.Channel) error,
	opened func(*pipeline.Channel),
) bool {
	l := e.all[int(e.next.Add(1)-1)%len(e.all)]
	if !l.reserve() {
		_ = c.Close() // it was never used
		e.tellClosed(c)
		return false
	}
	n := newNetConn(c, l, opts)
	n.init, n.opened = init, opened
	l.add(n)
	return true
}

// tellClosed says that c is closed to whoever counts connections.
func (e *connLoops) tellClosed(c net.Conn) {
	if e.settings.onClosed != nil {
		e.settings.onClosed(c)
	}
}

// close closes all connections at once, ends the loops, and waits for all goroutines; on one of the loops
// itself it does not wait. Safe for concurrent use.
func (e *connLoops) close() {
	wait := true
	for _, l := range e.all {
		wait = wait && !l.core.OnLoop()
		l.stop()
	}
	if wait {
		e.group.Wait()
	}
}
