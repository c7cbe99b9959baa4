package transport

import (
	"sync"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// connLoop is one of the connLoops: a goroutine that sleeps until a connection has something due, or there are
// tasks to run.
type connLoop struct {
	owner *connLoops
	core  *pipeline.Loop
	timer *time.Timer
	wake  chan struct{} // has room for one

	mu       sync.Mutex
	ready    []*netConn // have something due
	tasks    bool       // RunPending is asked for
	arriving int        // reserved and not yet added
	stopping bool

	// On the loop:
	conns  map[*netConn]struct{}
	round  []*netConn // what was ready, from at on still to be looked at
	at     int
	ending bool // no channel is opened any more
}

func newConnLoop(e *connLoops, name string) *connLoop {
	l := &connLoop{owner: e, wake: make(chan struct{}, 1), conns: make(map[*netConn]struct{})}
	l.timer = time.NewTimer(time.Hour)
	l.timer.Stop()
	l.core = pipeline.NewLoop(pipeline.LoopConfig{
		Name: name, Clock: e.settings.clock, Logger: e.settings.logger,
		Wake: l.runTasks,
		Arm:  func(d time.Duration) { l.timer.Reset(d) },
	})
	return l
}

// main is the loop's goroutine. When a callback ends it by runtime.Goexit another one goes on.
func (l *connLoop) main() {
	finished := false
	defer func() {
		if !finished {
			l.owner.group.Go(l.main)
		}
	}()
	l.core.Bind()
	l.core.RunPending() // what an earlier goroutine may have left
	l.finishRound()
	for l.wait() {
		if l.takeRound() {
			l.core.RunPending()
		}
		l.finishRound()
	}
	l.end()
	finished = true
}

// wait sleeps until there is something to do, and reports false when that is to end.
func (l *connLoop) wait() bool {
	if l.isStopping() {
		return false
	}
	select {
	case <-l.wake:
	case <-l.timer.C:
		l.runTasks()
	}
	return !l.isStopping()
}

func (l *connLoop) isStopping() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopping
}

// takeRound takes what is ready now; what becomes ready by that waits for the next round.
func (l *connLoop) takeRound() (tasks bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready, l.round, l.at = l.round[:0], l.ready, 0
	tasks, l.tasks = l.tasks, false
	return tasks
}

func (l *connLoop) finishRound() {
	for l.at < len(l.round) {
		c := l.round[l.at]
		l.round[l.at] = nil
		l.at++
		c.deliver()
	}
}

// poke ends the loop's sleep.
func (l *connLoop) poke() {
	select {
	case l.wake <- struct{}{}:
	default: // it is awake, or about to be
	}
}

// runTasks asks for RunPending.
func (l *connLoop) runTasks() {
	l.mu.Lock()
	l.tasks = true
	l.mu.Unlock()
	l.poke()
}

// enqueue puts c on the list of the next round.
func (l *connLoop) enqueue(c *netConn) {
	l.mu.Lock()
	l.ready = append(l.ready, c)
	l.mu.Unlock()
	l.poke()
}

// reserve announces a connection, and reports false when the loop takes none any more.
func (l *connLoop) reserve() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping {
		return false
	}
	l.arriving++
	return true
}

// add hands an announced connection to the loop.
func (l *connLoop) add(c *netConn) {
	c.queued = true
	l.mu.Lock()
	l.ready = append(l.ready, c)
	l.arriving--
	l.mu.Unlock()
	l.poke()
}

func (l *connLoop) stop() {
	l.mu.Lock()
	l.stopping = true
	l.mu.Unlock()
	l.poke()
}

// end closes what is open. Handlers see an ordinary close first, and can't hold it.
func (l *connLoop) end() {
	l.ending = true
	l.awaitArrivals()
	for c := range l.conns {
		c.ch.CloseWith(pipeline.CloseNow, nil)
	}
	l.core.RunPending()
	for c := range l.conns {
		c.ch.Failed(pipeline.ErrLoopClosed)
	}
	for range lastRounds {
		if !l.takeRound() && len(l.round) == 0 {
			break
		}
		l.core.RunPending()
		l.finishRound()
	}
	l.timer.Stop()
	l.core.Close()
}

// awaitArrivals gives every announced connection its end.
func (l *connLoop) awaitArrivals() {
	for {
		l.mu.Lock()
		arriving := l.arriving > 0
		l.mu.Unlock()
		l.takeRound()
		l.finishRound()
		if !arriving {
			return
		}
		<-l.wake
	}
}
