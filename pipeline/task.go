package pipeline

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// task is one entry of a loop's queue: a posted function, or a write or close from another goroutine.
// A struct and not a closure, so that a foreign write allocates nothing.
type task struct {
	ch  *Channel // nil: concerns the loop only
	run func()
	msg any
	p   *Promise
	how CloseMode
	op  taskOp
	n   int // bytes counted against the channel's cap

	group *Group // that the channel joins
}

type taskOp uint8

const (
	taskRun taskOp = iota
	taskWrite
	taskClose
	taskJoin
)

// inbox is the one FIFO of a loop. Everything that other goroutines want from the loop goes through it.
type inbox struct {
	mu      sync.Mutex
	posted  []task
	closed  bool
	woken   bool
	waiting atomic.Int64 // tasks posted and not yet run

	running []task // on the loop: the part taken out, from next on
	next    int
}

const (
	taskBudget     = 256
	taskTimeBudget = time.Millisecond
	keptTasks      = 4096 // entries of the queue that are kept for reuse
)

func (in *inbox) post(t task, wake func()) bool {
	in.mu.Lock()
	if in.closed {
		in.mu.Unlock()
		return false
	}
	in.posted = append(in.posted, t)
	in.waiting.Add(1)
	call := !in.woken
	in.woken = true
	in.mu.Unlock()
	if call && wake != nil {
		wake()
	}
	return true
}

// awake says that the wake-up has arrived; the next post sends another.
func (in *inbox) awake() {
	in.mu.Lock()
	in.woken = false
	in.mu.Unlock()
}

// rewake asks for one more round without posting.
func (in *inbox) rewake(wake func()) {
	in.mu.Lock()
	call := !in.woken && !in.closed
	in.woken = true
	in.mu.Unlock()
	if call && wake != nil {
		wake()
	}
}

// take gives the oldest task.
func (in *inbox) take() (task, bool) {
	if in.next == len(in.running) {
		in.mu.Lock()
		in.running, in.posted = in.posted, in.running[:0]
		if cap(in.posted) > keptTasks {
			in.posted = nil // a peak is over
		}
		in.mu.Unlock()
		in.next = 0
		if len(in.running) == 0 {
			return task{}, false
		}
	}
	t := in.running[in.next]
	in.running[in.next] = task{}
	in.next++
	in.waiting.Add(-1)
	return t, true
}

// runPosted runs what is waiting now, not what it posts itself: up to the budget, and as far as it takes
// to reach the last entry of c, whose batch comes next.
func (l *Loop) runPosted(c *Channel) {
	n := l.inbox.waiting.Load()
	var start time.Time
	if n > 16 {
		start = l.clock.Now()
	}
	for i := int64(1); i <= n; i++ {
		t, ok := l.inbox.take()
		if !ok {
			break
		}
		l.runTask(t)
		l.stats.tasks.Add(1)
		if c != nil && c.posted.Load() > 0 {
			continue
		}
		if i >= taskBudget || i%16 == 0 && l.clock.Now().Sub(start) > taskTimeBudget {
			break
		}
	}
	if l.inbox.waiting.Load() > 0 {
		l.inbox.rewake(l.cfg.Wake)
	}
}

func (l *Loop) runTask(t task) {
	if t.ch != nil {
		t.ch.posted.Add(-1)
		t.ch.postedBytes.Add(-int64(t.n))
	}
	l.protect(t.ch, func(c *Channel) {
		switch t.op {
		case taskWrite:
			c.runWrite(t.msg, t.p)
		case taskClose:
			c.pipe.Close(t.how, t.p)
		case taskJoin:
			c.join(t.group)
		default:
			if c == nil || c.state != stateTorn {
				t.run()
			}
		}
	})
}

// runWrite does the write of a Send. Without a promise nobody would hear that it was refused: then it is
// an error of the channel.
func (c *Channel) runWrite(msg any, p *Promise) {
	if p != nil {
		serial, returned := p.serial.Load(), false
		defer func() { // whoever waits for p must hear of a panic on the way
			if !returned && p.serial.Load() == serial && p.state == promisePending {
				p.Fail(ErrClosed)
			}
		}()
		c.pipe.WriteWith(msg, p)
		returned = true
		return
	}
	if err := c.pipe.Write(msg); err != nil && !errors.Is(err, net.ErrClosed) {
		c.pipe.FireError(err)
	}
}

// Post runs f on the loop, after everything that was posted before. ErrLoopClosed: it never will. Safe
// for concurrent use.
func (l *Loop) Post(f func()) error {
	if !l.inbox.post(task{run: f}, l.cfg.Wake) {
		return ErrLoopClosed
	}
	return nil
}

// Pending is the number of posted tasks that have not run yet. Safe for concurrent use.
func (l *Loop) Pending() int { return int(l.inbox.waiting.Load()) }

// Close ends the loop: what is queued fails with ErrLoopClosed, closes of closed channels excepted, and later
// posts are refused. The transport calls it on the loop's goroutine after the last channel has closed.
func (l *Loop) Close() {
	l.inbox.mu.Lock()
	l.inbox.closed = true
	l.inbox.mu.Unlock()
	for {
		t, ok := l.inbox.take()
		if !ok {
			break
		}
		l.refuse(t)
	}
	for len(l.timers) > 0 {
		l.timers.remove(0)
	}
	l.pool.Close()
}

// refuse does what is left to do for a task that will not run.
func (l *Loop) refuse(t task) {
	buffer.Release(t.msg)
	if t.group != nil {
		t.group.drop(t.ch)
	}
	switch {
	case t.p == nil:
	case t.op == taskClose && t.ch.Closed():
		t.p.Succeed()
	default:
		t.p.Fail(ErrLoopClosed)
	}
}
