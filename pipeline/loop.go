package pipeline

import (
	"log/slog"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Loop runs the handlers of its channels, one at a time, on one goroutine. It owns the allocator, the
// clock, the timers and the queue of posted tasks. A transport drives it: it calls ReadReady, WriteReady
// and Failed of channels, and RunPending when woken.
type Loop struct {
	cfg     LoopConfig
	pool    *buffer.Pool
	clock   Clock
	now     time.Time // cached within a batch
	owner   atomic.Int64
	busy    atomic.Uint64 // odd while a batch runs
	depth   int
	exiting bool     // runtime.Goexit is unwinding the goroutine
	current *Channel // whose callback is running
	nested  int      // completions of promises inside one another
	timers  timerHeap
	armed   time.Time // when the transport was last asked to wake us; zero: not
	touched []*Channel
	inbox   inbox
	stats   loopStats
	unread  map[reflect.Type]struct{}
	pieces  [][]byte // scratch of flush
	writer  buffer.Writer
	values  []attribute // of LoopKeys
}

// LoopConfig is what a transport gives to a new loop.
type LoopConfig struct {
	// Name stands in logs and pool statistics.
	Name string
	// Clock is the source of time. nil = the machine's.
	Clock Clock
	// Wake makes the transport call RunPending soon. It is safe for concurrent use. nil = the transport
	// polls.
	Wake func()
	// Arm makes the transport call RunPending after d. Each call replaces the one before. nil = the
	// transport asks NextTimer.
	Arm func(d time.Duration)
	// Logger gets what concerns no single channel. nil = slog.Default().
	Logger *slog.Logger
	// HeldBytes bounds the memory that the loop's pool keeps for reuse. 0 = 16 MiB.
	HeldBytes int
}

// loopStats are counters that anyone may read.
type loopStats struct {
	unread, panics, tasks, logged atomic.Int64
}

// NewLoop makes a loop. The transport binds it to its goroutine with Bind before the first batch.
func NewLoop(cfg LoopConfig) *Loop {
	l := &Loop{cfg: cfg, clock: cfg.Clock}
	if l.clock == nil {
		l.clock = systemClock{}
	}
	l.pool = buffer.NewPool(buffer.PoolConfig{Name: cfg.Name, MaxHeldBytes: cfg.HeldBytes})
	l.pieces = make([][]byte, 0, maxPieces)
	return l
}

// Bind says that the calling goroutine runs the loop from now on. Calls that would wait for the loop on
// its own goroutine are refused by this. A loop whose goroutine ended by runtime.Goexit is bound again
// by the next one, and picks up where it was.
func (l *Loop) Bind() {
	l.owner.Store(goroutineID())
	l.pool.Bind()
	l.exiting = false
	if l.depth > 0 {
		l.depth, l.current = 0, nil
		l.busy.Add(1)
		l.inbox.awake() // the wake-up may have been used up by the round that was cut short
		l.inbox.rewake(l.cfg.Wake)
	}
}

// OnLoop reports whether the caller runs on the loop's goroutine. It costs about a microsecond. Safe for
// concurrent use.
func (l *Loop) OnLoop() bool { return l.owner.Load() == goroutineID() }

// Goroutine is the number of the loop's goroutine as it stands in stack dumps. Safe for concurrent use.
func (l *Loop) Goroutine() int64 { return l.owner.Load() }

// Busy is odd while a batch runs and changes with each batch: a watchdog that sees one odd value for long
// has found a handler that blocks. Safe for concurrent use.
func (l *Loop) Busy() uint64 { return l.busy.Load() }

// Name is the name from the configuration.
func (l *Loop) Name() string { return l.cfg.Name }

// Pool is the loop's own allocator; its Get and Put are for the event loop only.
func (l *Loop) Pool() *buffer.Pool { return l.pool }

// Writer is the scratch in which encoders put a message together, one for all channels of the loop. It belongs
// to the caller until it calls anything else of the pipeline: fill it and Take the message before that. Call
// it on the event loop only.
func (l *Loop) Writer() *buffer.Writer { return &l.writer }

// Now is the time as of the first question in the running batch. Call it on the event loop only.
func (l *Loop) Now() time.Time {
	if l.depth == 0 {
		return l.clock.Now()
	}
	if l.now.IsZero() {
		l.now = l.clock.Now()
	}
	return l.now
}

// Stats are the loop's counters. Safe for concurrent use.
func (l *Loop) Stats() LoopStats {
	return LoopStats{
		Unread: l.stats.unread.Load(), Panics: l.stats.panics.Load(), Tasks: l.stats.tasks.Load(),
		Errors: l.stats.logged.Load(),
	}
}

// LoopStats counts since the loop was made.
type LoopStats struct {
	Unread int64 `json:"unread"` // messages that reached the tail unread
	Panics int64 `json:"panics"` // callbacks that panicked or called runtime.Goexit
	Tasks  int64 `json:"tasks"`  // posted tasks and writes that have run
	Errors int64 `json:"errors"` // unhandled errors that were logged
}

// batch runs step for c with everything around it: posted tasks before, the flush of every channel that
// it touched after. Within a callback it is just the step.
func (l *Loop) batch(c *Channel, step func(*Channel)) {
	if l.depth > 0 {
		l.protect(c, step)
		return
	}
	l.begin()
	if l.inbox.waiting.Load() > 0 {
		l.runPosted(c)
	}
	l.protect(c, step)
	l.end()
}

func (l *Loop) begin() {
	l.depth++
	if l.depth == 1 {
		l.now, l.nested = time.Time{}, 0
		l.busy.Add(1)
	}
}

func (l *Loop) end() {
	if l.depth == 1 {
		l.settle()
		l.armNow()
		l.busy.Add(1)
	}
	l.depth--
}

// settleTurns is how often a batch settles one channel at most. A producer that finds room again whenever its bytes
// were sent, and channels that keep touching each other, go on after the next look at the sockets: others are waiting.
const settleTurns = 4

// settle flushes what the batch touched and delivers what had to wait for the stack to unwind.
func (l *Loop) settle() {
	next := 0
	for turn := 0; turn < settleTurns && next < len(l.touched); turn++ {
		for end := len(l.touched); next < end; next++ { // each channel stands there once
			c := l.touched[next]
			c.touched = false
			l.protect(c, (*Channel).settle)
		}
	}
	rest := copy(l.touched, l.touched[next:])
	clear(l.touched[rest:])
	l.touched = l.touched[:rest]
	if rest > 0 {
		l.inbox.rewake(l.cfg.Wake)
	}
}

// protect runs step and turns its panic or runtime.Goexit into the end of c. c may be nil.
func (l *Loop) protect(c *Channel, step func(*Channel)) {
	outer := l.current
	l.current = c
	finished := false
	defer func() {
		l.current = outer
		if !finished {
			l.unwound(c, recover())
		}
	}()
	step(c)
	finished = true
}

// after makes and arms a timer for c.
func (l *Loop) after(c *Channel, d time.Duration, f func()) *Timer {
	t := &Timer{loop: l, ch: c, run: f, at: -1}
	t.Reset(d)
	return t
}

// After is Context.After for things that belong to no channel. Call it on the event loop only.
func (l *Loop) After(d time.Duration, f func()) *Timer { return l.after(nil, d, f) }

// NextTimer is when the earliest timer is due. Call it on the event loop only.
func (l *Loop) NextTimer() (time.Time, bool) {
	if len(l.timers) == 0 {
		return time.Time{}, false
	}
	return l.timers[0].due, true
}

// Timers is the number of armed timers. Call it on the event loop only.
func (l *Loop) Timers() int { return len(l.timers) }

// arm asks the transport for a wake-up at the earliest timer, unless the end of the batch will.
func (l *Loop) arm() {
	if l.depth == 0 {
		l.armNow()
	}
}

func (l *Loop) armNow() {
	if len(l.timers) == 0 || l.cfg.Arm == nil {
		return
	}
	due := l.timers[0].due
	if l.armed.IsZero() || due.Before(l.armed) {
		l.armed = due
		l.cfg.Arm(max(due.Sub(l.clock.Now()), 0))
	}
}

// RunPending runs due timers and posted tasks, within a budget: it asks for another call by Wake when
// something is left. Call it on the event loop only.
func (l *Loop) RunPending() {
	l.begin()
	l.runTimers()
	l.inbox.awake()
	l.runPosted(nil)
	l.end()
}

func (l *Loop) runTimers() {
	l.armed = time.Time{}
	now := l.Now()
	due := len(l.timers) // those that are armed meanwhile wait
	for n := 1; n <= due && len(l.timers) > 0 && !l.timers[0].due.After(now); n++ {
		if n%16 == 0 && l.clock.Now().Sub(now) > taskTimeBudget {
			break // the rest after the next look at the sockets
		}
		t := l.timers[0]
		l.timers.remove(0)
		if t.ch != nil && t.ch.state >= stateClosed {
			continue
		}
		l.protect(t.ch, func(*Channel) { t.run() })
	}
}

// firstUnread reports, once per type, that a message of this type was not read.
func (l *Loop) firstUnread(msg any) bool {
	t := reflect.TypeOf(msg)
	if _, seen := l.unread[t]; seen {
		return false
	}
	if l.unread == nil {
		l.unread = make(map[reflect.Type]struct{})
	}
	l.unread[t] = struct{}{}
	return true
}

func (l *Loop) log() *slog.Logger {
	if l.cfg.Logger != nil {
		return l.cfg.Logger
	}
	return slog.Default()
}
