package buffer

import (
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
)

const (
	traceDepth  = 16 // frames of an allocation stack
	touchesKept = 4
)

// LeakReport tells about a buffer that the garbage collector found unreleased.
type LeakReport struct {
	Size    int      // bytes of its array
	Pool    string   // origin, as in panics
	Stack   string   // where it was taken, one "function file:line" per line
	Touches []string // the last four hints given to Touch, oldest first
}

// leaks samples buffers of all pools.
var leaks leakSampler

type leakSampler struct {
	every  atomic.Int64
	count  atomic.Int64
	report atomic.Pointer[func(LeakReport)]
}

// leakTrace must not lead to its buffer, or the buffer would never be found unreachable.
type leakTrace struct {
	size    int
	pool    string
	stack   [traceDepth]uintptr
	frames  int
	touches [touchesKept]string
	touched int
	cleanup runtime.Cleanup
}

// SetLeakSampling makes one buffer in every `every` carry a trace, and report run for each that becomes garbage without
// having been released. 0 = off, the default; 1 = all. Buffers taken before the call are not traced. report runs on a
// goroutine of the runtime and must not block. Safe for concurrent use.
func SetLeakSampling(every int, report func(LeakReport)) {
	if report == nil {
		every = 0
	}
	leaks.report.Store(&report)
	leaks.every.Store(int64(max(every, 0)))
}

// sample starts a trace for b when it is b's turn. Safe for concurrent use.
func (l *leakSampler) sample(b *Buffer) {
	if every := l.every.Load(); every != 0 && l.count.Add(1)%every == 0 {
		l.start(b)
	}
}

// sample is leaks.sample with a count of p's own, which costs no atomic operation.
func (p *Pool) sample(b *Buffer) {
	every := leaks.every.Load()
	if p.untraced++; every != 0 && p.untraced >= every {
		p.untraced = 0
		leaks.start(b)
	}
}

// start attaches a trace to b.
func (l *leakSampler) start(b *Buffer) {
	t := &leakTrace{size: len(b.data), pool: b.origin()}
	t.frames = runtime.Callers(2, t.stack[:])
	b.trace = t
	b.flags |= flagTraced
	t.cleanup = runtime.AddCleanup(b, l.leaked, t)
}

// leaked runs when a traced buffer was collected.
func (l *leakSampler) leaked(t *leakTrace) {
	report := l.report.Load()
	if report == nil || *report == nil {
		return
	}
	(*report)(LeakReport{Size: t.size, Pool: t.pool, Stack: stackText(t.stack[:t.frames]), Touches: t.hints()})
}

// untrace ends the trace of a buffer that is being released.
func (b *Buffer) untrace() {
	b.trace.cleanup.Stop()
	b.trace = nil
	b.flags &^= flagTraced
}

// Touch remembers hint as a point of b's way when b is traced (leak sampling, or the tag bufdebug); the last four are
// kept and reported. Otherwise it does nothing. hint should be a constant.
func (b *Buffer) Touch(hint string) {
	if Debug {
		b.touchDebug(hint)
	}
	if t := b.trace; t != nil {
		t.touches[t.touched%touchesKept] = hint
		t.touched++
	}
}

// hints returns the kept touches, oldest first.
func (t *leakTrace) hints() []string {
	kept := min(t.touched, touchesKept)
	hints := make([]string, 0, kept)
	for i := t.touched - kept; i < t.touched; i++ {
		hints = append(hints, t.touches[i%touchesKept])
	}
	return hints
}

// stackText formats program counters, leaving out this package's own frames at the top.
func stackText(pcs []uintptr) string {
	var text strings.Builder
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" && !(text.Len() == 0 && strings.HasPrefix(f.Function, ownPrefix)) {
			text.WriteString(f.Function + " " + f.File + ":" + strconv.Itoa(f.Line) + "\n")
		}
		if !more {
			return text.String()
		}
	}
}

const ownPrefix = "github.com/penstock-go/penstock/pipeline/buffer."
