package pipeline

import (
	"cmp"
	"errors"
	"reflect"
	"runtime/debug"
	"slices"
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
		stack := debug.Stack()
		err = &PanicError{Handler: cmp.Or(HandlerInStack(stack), "pipeline"), Value: r, Stack: stack}
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

// dispatchers are the functions of this package that call handlers, tasks, timers, listeners and init, as they
// begin in a stack.
func dispatchers() []string {
	return []string{
		"(*Context).Fire", "(*Context).Forward", "(*Context).Write", "(*Context).Flush", "(*Context).Read", "(*Context).offer",
		"(*Context).removed", "(*Pipeline).announce", "(*Loop).run", "(*Promise).notify", "(*Channel).open",
		"(*readEdge", "(*lendEdge", "(*writeEdge",
	}
}

// HandlerInStack names the function that this package has called last and that has not returned: a handler's
// method, a task, a timer, a listener or an init, whatever it has called itself. stack is one goroutine's, as
// runtime.Stack and debug.Stack write it; in that of a panic what ran before the recovery counts. Without any of
// them it is what else the package has called, or "". It does not keep stack. Safe for concurrent use.
func HandlerInStack(stack []byte) string {
	called, other, panicking := "", "", false
	for line := range strings.Lines(string(stack)) {
		name := line[:max(strings.LastIndexByte(line, '('), 0)] // "" where files stand
		switch {
		case name == "" || line[0] == '\t' || strings.HasPrefix(line, "created by ") || strings.HasPrefix(name, "runtime."):
		case name == "panic":
			if !panicking {
				called, other, panicking = "", "", true
			}
		case !isOwn(name):
			called = name
		case called == "":
		case isDispatcher(name):
			return withoutPaths(called)
		case other == "":
			other = called
		}
	}
	return withoutPaths(other)
}

func isDispatcher(function string) bool {
	own := strings.TrimPrefix(function, reflect.TypeFor[Channel]().PkgPath()+".")
	return slices.ContainsFunc(dispatchers(), func(d string) bool { return strings.HasPrefix(own, d) })
}

// isOwn reports whether a function is of this package or of its bytes.
func isOwn(function string) bool {
	rest, ok := strings.CutPrefix(function, reflect.TypeFor[Channel]().PkgPath())
	return ok && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/buffer."))
}
