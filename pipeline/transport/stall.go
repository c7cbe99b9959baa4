package transport

import (
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// Stall is a report about a callback that has kept an event loop for too long.
type Stall struct {
	Loop    string        // name of the loop
	Blocked time.Duration // for how long, at least
	Handler string        // function that the pipeline called, when the stack shows one
	Stack   string        // of the loop's goroutine; empty when it could not be had
}

// watchdog looks at the loops from outside, on a goroutine of its own.
type watchdog struct {
	engine *engine
	after  time.Duration
	report func(Stall)
	logger *slog.Logger
	count  atomic.Int64
	quit   chan struct{}
	done   chan struct{}

	mu        sync.Mutex
	stopped   bool
	reporting bool // report is running
}

// looks is how often the watchdog looks within the time that is allowed.
const looks = 4

func startWatchdog(e *engine, after time.Duration, report func(Stall), log *slog.Logger) *watchdog {
	if report == nil {
		report = func(s Stall) {
			log.Warn("transport: event loop blocked", "loop", s.Loop, "blocked", s.Blocked, "handler", s.Handler, "stack", s.Stack)
		}
	}
	w := &watchdog{engine: e, after: after, report: report, logger: log, quit: make(chan struct{}), done: make(chan struct{})}
	go w.run()
	return w
}

// watched is what is known about one loop.
type watched struct {
	busy     uint64 // as seen last
	since    time.Time
	reported bool
}

func (w *watchdog) run() {
	defer close(w.done)
	tick := time.NewTicker(max(w.after/looks, time.Millisecond))
	defer tick.Stop()
	seen := make(map[*pipeline.Loop]*watched)
	for {
		select {
		case <-w.quit:
			return
		case <-tick.C:
		}
		now := time.Now()
		for _, l := range w.engine.loops() {
			if seen[l] == nil {
				seen[l] = &watched{}
			}
			w.look(l, seen[l], now)
		}
	}
}

// look compares a loop with what it was before: the number is odd while a batch runs and never the same
// for two batches.
func (w *watchdog) look(l *pipeline.Loop, before *watched, now time.Time) {
	busy := l.Busy()
	if busy%2 == 0 || busy != before.busy {
		*before = watched{busy: busy, since: now}
		return
	}
	if blocked := now.Sub(before.since); blocked >= w.after && !before.reported {
		before.reported = true
		w.count.Add(1)
		stack := stackOf(l.Goroutine())
		if l.Busy() != busy {
			stack = "" // it went on meanwhile
		}
		w.tell(Stall{Loop: l.Name(), Blocked: blocked, Handler: pipeline.HandlerInStack([]byte(stack)), Stack: stack})
	}
}

// tell gives a report to the user, unless the watchdog is stopped.
func (w *watchdog) tell(s Stall) {
	if !w.setReporting(true) {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			w.logger.Error("transport: panic in Server.OnStall", "value", r, "stack", string(debug.Stack()))
		}
		w.setReporting(false)
	}()
	w.report(s)
}

// setReporting notes that a report begins or ends. It returns false when none may begin any more.
func (w *watchdog) setReporting(on bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reporting = on && !w.stopped
	return !w.stopped
}

// stop ends the watchdog. It waits for its goroutine, unless that is in the user's report, which may block, or
// wait for the end of the server itself.
func (w *watchdog) stop() {
	w.mu.Lock()
	w.stopped = true
	reporting := w.reporting
	w.mu.Unlock()
	close(w.quit)
	if !reporting {
		<-w.done
	}
}

const (
	firstStacks = 64 << 10
	mostStacks  = 8 << 20
)

// stackOf is the stack of one goroutine, cut out of those of all. Loops are among the oldest goroutines
// and so among the first.
func stackOf(goroutine int64) string {
	begin := fmt.Sprintf("goroutine %d [", goroutine)
	for size := firstStacks; size <= mostStacks; size *= 4 {
		all := make([]byte, size)
		n := runtime.Stack(all, true)
		for stack := range strings.SplitSeq(string(all[:n]), "\n\n") {
			if strings.HasPrefix(stack, begin) && (n < size || !strings.HasSuffix(string(all[:n]), stack)) {
				return stack
			}
		}
		if n < size {
			break
		}
	}
	return ""
}
