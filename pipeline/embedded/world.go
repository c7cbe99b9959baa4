package embedded

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// ErrBusy is recorded when a channel has not come to rest after many rounds: handlers keep posting tasks, re-arming
// timers of no duration, or answering each other.
var ErrBusy = errors.New("embedded: channel does not come to rest")

// ErrInCallback is recorded when a call that runs the loop was made inside a callback, where it can't.
var ErrInCallback = errors.New("embedded: call inside a callback")

// maxRounds is how often the loops and sockets of a world are looked at, at one virtual instant, before it is called busy.
const maxRounds = 10_000

// world is what connected channels share: one virtual time, and a run that ends when none of them has anything to do.
type world struct {
	now     time.Time
	loops   []*loop
	members []*Channel
	running bool
	aborted bool          // a run ended by runtime.Goexit
	wake    chan struct{} // has room for one: something was posted
}

// loop is an event loop that remembers that it was woken.
type loop struct {
	*pipeline.Loop
	world atomic.Pointer[world] // other goroutines wake it
	woken atomic.Bool
	users int // channels, and the network
}

// clock shows the time of the world that its loop belongs to.
type clock struct{ loop *loop }

// Now is the virtual time.
func (c clock) Now() time.Time { return c.loop.world.Load().now }

func newWorld(start time.Time) *world {
	return &world{now: start, wake: make(chan struct{}, 1)}
}

// newLoop adds a loop, run by the calling goroutine.
func (w *world) newLoop(cfg Config) *loop {
	l := &loop{}
	l.world.Store(w)
	l.Loop = pipeline.NewLoop(pipeline.LoopConfig{
		Name: cfg.Name, Clock: clock{l}, Logger: cfg.Options.Logger, Wake: l.wake,
	})
	l.Bind()
	w.loops = append(w.loops, l)
	return l
}

// wake makes the next round run the loop, and ends the waiting of RunUntil. Safe for concurrent use.
func (l *loop) wake() {
	l.woken.Store(true)
	select {
	case l.world.Load().wake <- struct{}{}:
	default: // a wake-up is on its way
	}
}

// bind makes the calling goroutine that of all loops.
func (w *world) bind() {
	for _, l := range w.loops {
		l.Bind()
	}
	w.aborted = false
}

// run lets everything happen that can happen now. Inside a callback it leaves that to the run under way.
func (w *world) run() {
	if w.running {
		return
	}
	if w.aborted {
		w.bind()
	}
	w.running, w.aborted = true, true
	defer w.stopped()
	for round, busy := 0, true; busy; round++ {
		// One round looks once at every loop and socket. It stands here and not in functions of its own, since what
		// handlers call lies deep in the stack as it is.
		if round > maxRounds {
			w.tellBusy()
			break
		}
		busy = false
		for i := 0; i < len(w.loops); i++ { // grows when a handler dials
			if l := w.loops[i]; l.due() {
				l.woken.Store(false)
				l.RunPending()
				busy = true
			}
		}
		for i := 0; i < len(w.members); i++ {
			if c := w.members[i]; c.Socket.onlyReadable() {
				c.ch.ReadReady()
				c.driveWrites()
				busy = true
			} else {
				busy = c.drive() || busy
			}
		}
	}
	w.aborted = false
}

// tellBusy gives ErrBusy to every channel: which of them keeps the others busy is not known.
func (w *world) tellBusy() {
	for _, c := range w.members {
		c.record(ErrBusy)
	}
}

// guard runs f, which enters a loop, so that calls inside its callbacks leave the running to the caller.
func (w *world) guard(f func()) {
	if w.running {
		f()
		return
	}
	w.running, w.aborted = true, true
	defer w.stopped()
	f()
	w.aborted = false
}

// stopped ends a run, also one that runtime.Goexit in a callback ends (a failed assertion in a test does that).
func (w *world) stopped() { w.running = false }

// due reports whether l has tasks, a wake-up, or a timer whose time has come.
func (l *loop) due() bool {
	if l.woken.Load() || l.Pending() > 0 {
		return true
	}
	at, ok := l.NextTimer()
	return ok && !at.After(l.world.Load().now)
}

// advance lets d pass: each timer fires at its own time.
func (w *world) advance(d time.Duration) {
	end := w.now.Add(max(d, 0))
	w.run()
	for {
		at, ok := w.nextTimer()
		if !ok || at.After(end) {
			break
		}
		w.now = at
		w.run()
		if next, ok := w.nextTimer(); ok && !next.After(w.now) {
			return // busy, and recorded as such
		}
	}
	w.now = end
}

// nextTimer is when the earliest timer of all loops is due.
func (w *world) nextTimer() (earliest time.Time, ok bool) {
	for _, l := range w.loops {
		at, armed := l.NextTimer()
		if armed && (!ok || at.Before(earliest)) {
			earliest, ok = at, true
		}
	}
	return earliest, ok
}
