//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"golang.org/x/sys/unix"
)

// outOfUse is the load of a loop that has failed, so that it gets no connections.
const outOfUse = 1 << 30

// maxIovecs is the number of pieces in one system call.
const maxIovecs = 64

// eventLoop is one goroutine that waits for descriptors and runs the channels over them.
//
// An event is a hint and carries only a number. That is safe because a closed descriptor leaves the table
// at once, and new ones enter it in posted tasks only: an event that is out of date meets nothing, or at
// worst a descriptor whose system call then says that there is nothing to do.
type eventLoop struct {
	core     *pipeline.Loop
	poll     *poller
	wake     *waker
	timer    *time.Timer
	group    *sync.WaitGroup
	members  *pipeline.Group // joined by every channel; nil: none
	arrivals arrivals
	load     atomic.Int32 // connections, those on their way included
	table    []*conn      // by descriptor
	doors    []*door      // listeners
	retries  retries
	iov      [maxIovecs]unix.Iovec
	logger   *slog.Logger
	restarts int
	stopping bool // no more rounds
	ended    bool
}

// newEventLoop makes a loop that does not run yet.
func newEventLoop(name string, s *loopSettings, group *sync.WaitGroup) (*eventLoop, error) {
	l := &eventLoop{group: group, members: s.group, logger: s.log()}
	var err error
	if l.poll, err = openPoller(l.event); err != nil {
		return nil, err
	}
	if l.wake, err = newWaker(); err == nil {
		err = l.poll.watchEdges(l.wake.fd)
	}
	if err != nil {
		l.release()
		return nil, err
	}
	l.timer = time.AfterFunc(time.Hour, l.wake.wake)
	l.timer.Stop()
	l.core = pipeline.NewLoop(pipeline.LoopConfig{
		Name: name, Clock: s.clock, Logger: s.logger,
		Wake: l.wake.wake,
		Arm:  func(d time.Duration) { l.timer.Reset(d) },
	})
	l.arrivals.enter = l.enterArrivals
	return l, nil
}

// run is the loop's goroutine. When a callback ends it by runtime.Goexit another one goes on.
func (l *eventLoop) run() {
	defer func() {
		if !l.ended {
			l.restarts++
			l.group.Go(l.run)
		}
	}()
	l.core.Bind()
	if l.restarts > 0 {
		l.catchUp()
	}
	err := error(nil)
	if !l.stopping {
		err = l.poll.run()
	}
	l.end(err)
	l.ended = true
}

// catchUp does what the rest of the round would have done that a callback cut short.
func (l *eventLoop) catchUp() {
	l.wake.wake()
	l.arrivals.again(l.core)
	for _, d := range l.doors {
		d.later(0)
	}
	for _, c := range l.table {
		if c != nil {
			c.missed()
		}
	}
}

// event is what the poller calls.
func (l *eventLoop) event(fd int, r readiness) (stop bool) {
	if c := l.at(fd); c != nil {
		c.event(r)
		return false
	}
	if fd == l.wake.fd {
		l.wake.drain()
		l.retries.look()
		l.enterArrivals() // not behind all that is posted: a loop that is behind still takes connections up
		l.core.RunPending()
		return l.stopping
	}
	for _, d := range l.doors {
		if d.fd == fd {
			d.ready()
			break
		}
	}
	return false
}

// at is the connection with the descriptor fd, or nil.
func (l *eventLoop) at(fd int) *conn {
	if fd < len(l.table) {
		return l.table[fd]
	}
	return nil
}

// enter puts a descriptor into the table. Call it in a task.
func (l *eventLoop) enter(c *conn) error {
	for len(l.table) <= c.fd {
		l.table = append(l.table, nil)
	}
	l.table[c.fd] = c
	return l.poll.enter(c.fd)
}

// end closes what is open, tells everybody who waits for the loop, and frees its descriptors.
func (l *eventLoop) end(cause error) {
	l.stopping = true
	if cause != nil {
		l.load.Add(outOfUse)
		l.logger.Error("transport: event loop failed", "loop", l.core.Name(), "err", cause)
	} else {
		cause = pipeline.ErrLoopClosed
	}
	for len(l.doors) > 0 {
		l.doors[0].close()
	}
	for _, a := range l.arrivals.shut() {
		a.discard()
	}
	for _, c := range l.table {
		if c != nil {
			c.ch.CloseWith(pipeline.CloseNow, nil)
		}
	}
	for range lastRounds {
		l.core.RunPending()
		for _, c := range l.table {
			if c != nil { // a handler holds the close
				c.ch.Failed(cause)
			}
		}
		if l.core.Pending() == 0 {
			break
		}
	}
	l.timer.Stop()
	l.core.Close()
	l.release()
}

// release frees the descriptors of the loop itself.
func (l *eventLoop) release() {
	if l.wake != nil {
		l.wake.close()
	}
	_ = l.poll.close() // nothing is registered any more
}
