//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"strconv"
	"sync"

	"github.com/penstock-go/penstock/pipeline"
)

// haveEventLoops says that there is a poller here.
const haveEventLoops = true

// eventLoops are all loops of one server or client.
type eventLoops struct {
	all      []*eventLoop
	settings loopSettings
	group    sync.WaitGroup
}

// newEventLoops starts n loops, at least one.
func newEventLoops(n int, s loopSettings) (*eventLoops, error) {
	e := &eventLoops{settings: s}
	for i := range max(n, 1) {
		l, err := newEventLoop(s.name+"/"+strconv.Itoa(i), &e.settings, &e.group)
		if err != nil {
			for _, l := range e.all {
				l.release()
			}
			return nil, err
		}
		e.all = append(e.all, l)
	}
	for _, l := range e.all {
		e.group.Go(l.run)
	}
	return e, nil
}

// loops are the loops themselves. Safe for concurrent use.
func (e *eventLoops) loops() []*pipeline.Loop {
	all := make([]*pipeline.Loop, len(e.all))
	for i, l := range e.all {
		all[i] = l.core
	}
	return all
}

// pick is the loop with the fewest connections. Safe for concurrent use.
func (e *eventLoops) pick() *eventLoop {
	least := e.all[0]
	for _, l := range e.all[1:] {
		if l.load.Load() < least.load.Load() {
			least = l
		}
	}
	return least
}

// close closes all connections at once, ends the loops and waits for their goroutines; on one of the loops
// itself it does not wait. Safe for concurrent use.
func (e *eventLoops) close() {
	wait := true
	for _, l := range e.all {
		wait = wait && !l.core.OnLoop()
		_ = l.core.Post(func() { l.stopping = true }) // or it has ended already
	}
	if wait {
		e.group.Wait()
	}
}
