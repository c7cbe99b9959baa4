package pipeline

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// unwound handles a callback that did not return: it panicked with r, or called runtime.Goexit (r is
// nil). Only c closes. The loop's goroutine ends after a Goexit; its transport starts another.
func (l *Loop) unwound(c *Channel, r any) {
	l.stats.panics.Add(1)
	err := error(ErrGoexit)
	if r != nil {
		err = &PanicError{Handler: panicOrigin(), Value: r, Stack: debug.Stack()}
	}
	if c == nil {
		l.log().Error("pipeline: posted task or timer failed", "loop", l.cfg.Name, "err", err, "stack", stackOf(err))
		return
	}
	c.out.flushing, c.in.running, c.in.granted = false, false, false
	if c.sink == nil || !c.sink.Uncaught(err) {
		c.logOnce("pipeline: callback did not return", err, "stack", stackOf(err))
	}
	if c.state == stateClosed {
		c.touch() // the rest of tearDown
		return
	}
	l.protect(c, func(c *Channel) { c.closeNow(err) })
}

func stackOf(err error) string {
	if p, ok := err.(*PanicError); ok {
		return string(p.Stack)
	}
	return ""
}

// panicOrigin is the name of the function that panicked: the first one outside the runtime below the
// panic itself.
func panicOrigin() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic" || f.Function == "runtime.sigpanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime."):
			return withoutPaths(f.Function)
		}
		if !more {
			return "unknown function"
		}
	}
}
