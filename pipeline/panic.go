package pipeline

import (
	"errors"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
)

// unwound handles a callback that did not return: it panicked with r, or called runtime.Goexit (r is
// nil). Only c closes. The loop's goroutine ends after a Goexit; its transport starts another.
func (l *Loop) unwound(c *Channel, r any) {
	if r == nil {
		if l.exiting {
			l.interrupted(c)
			return
		}
		l.exiting = true
	}
	l.stats.panics.Add(1)
	l.writer.Discard() // an encoder may have been at work
	var err error = ErrGoexit
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

// interrupted handles a callback around the one that called runtime.Goexit: it did nothing wrong, and its
// channel, if there is one, goes on with what it has.
func (l *Loop) interrupted(c *Channel) {
	if c == nil {
		return
	}
	c.out.flushing, c.in.running, c.in.granted = false, false, false
	c.touch()
	if c.state == stateOpening { // its init will never finish
		l.protect(c, func(c *Channel) { c.closeNow(ErrGoexit) })
	}
}

func stackOf(err error) string {
	if p := (*PanicError)(nil); errors.As(err, &p) {
		return string(p.Stack)
	}
	return ""
}

// panicOrigin names the callback that panicked, from the stack: the function that this package had called and
// that did not return, whatever it had called itself.
func panicOrigin() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	first, callback := "", ""
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if strings.HasPrefix(f.Function, "runtime.") {
			panicking = panicking || f.Function == "runtime.gopanic"
			continue
		}
		if !panicking {
			continue
		}
		if first == "" {
			first = f.Function
		}
		if !isOwn(f.Function) {
			callback = f.Function
		} else if callback != "" {
			break
		}
	}
	if callback == "" {
		callback = first
	}
	return withoutPaths(callback)
}

// isOwn reports whether a function is of this package or of its bytes.
func isOwn(function string) bool {
	rest, ok := strings.CutPrefix(function, reflect.TypeFor[Channel]().PkgPath())
	return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/buffer."))
}
