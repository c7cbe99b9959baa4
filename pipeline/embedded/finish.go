package embedded

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Leftovers is what a finished channel had left. Each text names the thing and where it comes from.
type Leftovers struct {
	Inbound  []string // messages that reached the tail and were not taken
	Outbound []string // messages that reached the head, are not bytes, and were not taken
	Buffers  []string // one line when buffers of the loop's pool are live that no queue of the channel held
	Promises []string // promises of NewPromise that never completed
	Timers   []string // one line when timers are armed that nobody stopped, not even when the channel closed
	Errors   []error  // recorded errors that were not taken

	// What follows is for information and no fault.

	Events      []string // user events that were not taken
	WireBytes   int      // bytes written to the socket that were not taken
	UnreadBytes int      // bytes that the peer sent and the channel did not read
}

// Err is nil when nothing is left that should not be, else an error with one line for each thing. It wraps the errors
// among them.
func (l Leftovers) Err() error {
	var errs []error
	add := func(kind string, things []string) {
		for _, t := range things {
			errs = append(errs, fmt.Errorf("embedded: %s: %s", kind, t))
		}
	}
	add("inbound message not taken", l.Inbound)
	add("outbound message not taken", l.Outbound)
	add("buffers not released", l.Buffers)
	add("promise not completed", l.Promises)
	add("timers not stopped", l.Timers)
	for _, err := range l.Errors {
		errs = append(errs, fmt.Errorf("embedded: error not taken: %w", err))
	}
	return errors.Join(errs...)
}

// Finish closes the channel as its own application would (CloseDrain, through all handlers), runs everything, and tells
// what is left; its error is Leftovers.Err. When bytes that the peer does not take, or handlers, hold the close back it
// closes the socket all the same. What was not taken is released. Afterwards only the accessors of the channel are of
// use. A second Finish finds nothing; inside a callback it does nothing but return ErrInCallback.
func (c *Channel) Finish() (Leftovers, error) {
	if c.world.running {
		return Leftovers{}, ErrInCallback
	}
	if c.finished {
		return Leftovers{}, nil
	}
	c.finished = true
	l := Leftovers{WireBytes: c.Socket.Untaken(), UnreadBytes: c.Socket.Unread()}
	c.close()
	c.collect(&l)
	c.leave(&l)
	return l, l.Err()
}

// close closes the channel, gently first.
func (c *Channel) close() {
	w := c.world
	w.bind() // a failed assertion may have left a loop in the middle of a batch
	w.run()
	c.Socket.lingers = false
	for _, step := range []func(){
		func() { c.ch.CloseWith(pipeline.CloseDrain, nil) },
		func() { c.ch.CloseWith(pipeline.CloseNow, nil) },
		func() { w.guard(func() { c.ch.Failed(errForced) }) },
	} {
		if c.ch.Closed() {
			return
		}
		step()
		w.run()
	}
}

// collect empties the channel's queues.
func (c *Channel) collect(l *Leftovers) {
	for c.in.len() > 0 {
		l.Inbound = append(l.Inbound, discard(c.in.pop()))
	}
	for c.out.len() > 0 {
		l.Outbound = append(l.Outbound, discard(c.out.pop().msg))
	}
	for _, e := range c.Events() {
		l.Events = append(l.Events, discard(e))
	}
	for _, p := range c.promises {
		l.Promises = append(l.Promises, "made at "+p.site)
	}
	l.Errors, c.errs = c.errs, nil
}

// leave takes the channel out of its world. The last user of a loop ends it and accounts for it.
func (c *Channel) leave(l *Leftovers) {
	w := c.world
	if p := c.Socket.peer; p != nil {
		c.Socket.deliver()
		p.peer, c.Socket.peer = nil, nil
	}
	w.members = slices.DeleteFunc(w.members, func(m *Channel) bool { return m == c })
	w.leaveLoop(c.loop, l)
	w.run()
}

// abandon drops a channel whose init failed; the caller gets the error. It closes itself.
func (c *Channel) abandon() {
	c.world.run()
	c.errs = nil
	c.leave(&Leftovers{})
}

// leaveLoop ends a loop that nobody uses any more.
func (w *world) leaveLoop(o *loop, l *Leftovers) {
	o.users--
	if o.users > 0 {
		return
	}
	if n := o.Timers(); n > 0 {
		at, _ := o.NextTimer()
		l.Timers = append(l.Timers, fmt.Sprintf("%d on loop %q, the earliest due %v after the close", n, o.Name(), at.Sub(w.now)))
	}
	w.loops = slices.DeleteFunc(w.loops, func(other *loop) bool { return other == o })
	o.Close()
	if n := o.Pool().Live(); n != 0 {
		l.Buffers = append(l.Buffers, fmt.Sprintf("%d of the pool of loop %q", n, o.Name()))
	}
}

// mostQuoted is how much of a message's bytes a text shows.
const mostQuoted = 64

// discard releases msg and returns what to call it.
func discard(msg any) string {
	defer buffer.Release(msg)
	name := fmt.Sprintf("%T", msg)
	switch m := msg.(type) {
	case *buffer.Buffer:
		return name + " " + quote(m.Bytes())
	case *buffer.Composite:
		return name + " " + quote(m.Bytes())
	case fmt.Stringer:
		if v := reflect.ValueOf(msg); v.Kind() != reflect.Pointer || !v.IsNil() {
			return name + " " + strings.TrimSpace(m.String())
		}
	}
	return name
}

func quote(p []byte) string {
	if len(p) > mostQuoted {
		return fmt.Sprintf("%q... (%d bytes)", p[:mostQuoted], len(p))
	}
	return fmt.Sprintf("%q", p)
}
