package transport

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
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

// watchdog looks at the loops from outside.
type watchdog struct {
	engine *engine
	after  time.Duration
	report func(Stall)
	count  atomic.Int64
	quit   chan struct{}
	done   chan struct{}
}

// looks is how often the watchdog looks within the time that is allowed.
const looks = 4

func startWatchdog(e *engine, after time.Duration, report func(Stall), log *slog.Logger) *watchdog {
	if report == nil {
		report = func(s Stall) {
			log.Warn("transport: event loop blocked", "loop", s.Loop, "blocked", s.Blocked, "handler", s.Handler, "stack", s.Stack)
		}
	}
	w := &watchdog{engine: e, after: after, report: report, quit: make(chan struct{}), done: make(chan struct{})}
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
		w.report(Stall{Loop: l.Name(), Blocked: blocked, Handler: calledByPipeline(stack), Stack: stack})
	}
}

func (w *watchdog) stop() {
	close(w.quit)
	<-w.done
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

// corePrefix is how the functions of package pipeline begin in a stack.
const corePrefix = "github.com/penstock-go/penstock/pipeline."

// callers are the functions of package pipeline that call handlers, tasks, timers and listeners, as they
// begin in a stack.
func callers() []string {
	return []string{
		"(*Context).Fire", "(*Context).Forward", "(*Context).Flush", "(*Context).Read", "(*Context).offer", "(*Context).removed",
		"(*Pipeline).announce", "(*Loop).run", "(*Promise).notify", "(*Channel).open", "(*readEdge", "(*lendEdge", "(*writeEdge",
	}
}

// calledByPipeline is the function in a stack that package pipeline called last: a handler's method, a task
// or a timer. What it has called itself stands above it.
func calledByPipeline(stack string) string {
	called := ""
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "goroutine ") {
			continue
		}
		name := line[:max(strings.LastIndexByte(line, '('), 0)]
		core, ok := strings.CutPrefix(name, corePrefix)
		if !ok {
			called = name
			continue
		}
		for _, c := range callers() {
			if called != "" && strings.HasPrefix(core, c) {
				return called[strings.LastIndexByte(called, '/')+1:]
			}
		}
	}
	return ""
}
