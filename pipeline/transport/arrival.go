//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"sync"

	"github.com/penstock-go/penstock/pipeline"
)

// arrival is a connection on its way to its loop.
type arrival struct {
	conn *conn
	from *origin
}

// discard drops a connection that no channel was made for.
func (a arrival) discard() {
	resetOnClose(a.conn.fd)
	a.conn.drop()
	if a.from.opened != nil {
		a.from.opened(nil)
	}
}

// arrivals is where other goroutines, and the listeners of other loops, leave new connections.
type arrivals struct {
	mu      sync.Mutex
	list    []arrival
	posted  bool // the task is in the loop's queue
	refused bool
	enter   func() // the task
}

// adopt hands a connection to the loop, which owns it from then on, also when it is ending. Safe for
// concurrent use.
func (l *eventLoop) adopt(a arrival) {
	a.conn.loop = l
	l.load.Add(1)
	q := &l.arrivals
	q.mu.Lock()
	if q.refused {
		q.mu.Unlock()
		a.discard()
		return
	}
	q.list = append(q.list, a)
	call := !q.posted
	q.posted = true
	q.mu.Unlock()
	if call {
		_ = l.core.Post(q.enter) // when the loop has ended, it has emptied the list
	}
}

// again posts the task anew, after a callback may have cut it short.
func (q *arrivals) again(l *pipeline.Loop) {
	q.mu.Lock()
	call := len(q.list) > 0
	q.posted = call
	q.mu.Unlock()
	if call {
		_ = l.Post(q.enter) // when the loop has ended, it has emptied the list
	}
}

// take gives the oldest arrival.
func (q *arrivals) take() (arrival, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		q.posted = false
		return arrival{}, false
	}
	a := q.list[0]
	q.list[0] = arrival{}
	q.list = q.list[1:]
	if len(q.list) == 0 {
		q.list = nil
	}
	return a, true
}

// shut refuses what comes later and gives what is there.
func (q *arrivals) shut() []arrival {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list, q.refused = nil, true
	return list
}

// mostArrivals is how many connections are opened in one task; the next ones wait for another look at the
// sockets.
const mostArrivals = 64

func (l *eventLoop) enterArrivals() {
	for range mostArrivals {
		a, ok := l.arrivals.take()
		if !ok {
			return
		}
		l.open(a)
	}
	l.arrivals.again(l.core)
}

// open makes a channel. A callback may end the goroutine in here.
func (l *eventLoop) open(a arrival) {
	if a.from.ending != nil && a.from.ending() {
		a.discard()
		return
	}
	c := a.conn
	c.ch = pipeline.NewChannel(l.core, pipeline.ChannelConfig{Transport: c, Options: a.from.opts, Group: l.members})
	if a.from.opened != nil {
		defer a.from.opened(c.ch)
	}
	if err := l.enter(c); err != nil {
		c.ch.Failed(err)
		return
	}
	c.ch.Open(a.from.init)
}
