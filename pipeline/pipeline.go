package pipeline

import (
	"fmt"
	"strconv"
)

// Pipeline is the ordered list of handlers of one channel. The head is the socket's side, the tail the
// application's: inbound events travel from head to tail through the handlers that implement them,
// outbound operations the other way.
//
// Handlers can be added, removed and replaced at any time, also inside any callback. Names are unique in
// a pipeline; a handler without one is called after its type, or after the function or codec that it runs
// ("codec.Line#0").
//
// Call its methods on the event loop only.
type Pipeline struct {
	head, tail Context
	all        mask // what any handler in it implements
}

// named carries a name to the Add… calls.
type named struct {
	name    string
	handler Handler
}

// Named gives handler a name for AddLast and its sisters.
func Named(name string, handler Handler) Handler { return named{name, handler} }

// Channel is the channel whose pipeline this is.
func (p *Pipeline) Channel() *Channel { return p.head.ch }

// AddFirst adds handlers in front of all others, in the order given. An error means that none was added:
// ErrDuplicateName, ErrNotHandler, *SignatureError, ErrNotShareable, or ErrClosed when the channel is gone.
func (p *Pipeline) AddFirst(handlers ...Handler) error { return p.add(&p.head, handlers) }

// AddLast adds handlers behind all others, in the order given, with the errors of AddFirst. An error that a
// handler's HandleAdded returns goes to the error handlers instead, as *AddedError.
func (p *Pipeline) AddLast(handlers ...Handler) error { return p.add(p.tail.prev, handlers) }

// AddBefore adds handlers in front of the named one. ErrNoHandler when there is none, else as AddFirst.
func (p *Pipeline) AddBefore(name string, handlers ...Handler) error {
	c, err := p.find(name)
	if err != nil {
		return err
	}
	return p.add(c.prev, handlers)
}

// AddAfter adds handlers behind the named one, with the errors of AddBefore.
func (p *Pipeline) AddAfter(name string, handlers ...Handler) error {
	c, err := p.find(name)
	if err != nil {
		return err
	}
	return p.add(c, handlers)
}

// Remove takes the named handler out. ErrNoHandler when there is none.
func (p *Pipeline) Remove(name string) error {
	c, err := p.find(name)
	if err != nil {
		return err
	}
	c.Remove()
	return nil
}

// Replace puts handlers in the place of the named one. What the old handler still passes on goes into
// the new ones. It has the errors of AddBefore, and then nothing has changed.
func (p *Pipeline) Replace(name string, handlers ...Handler) error {
	c, err := p.find(name)
	if err != nil {
		return err
	}
	return c.Replace(handlers...)
}

// Get is the context of the named handler, nil when there is none.
func (p *Pipeline) Get(name string) *Context {
	c, _ := p.find(name)
	return c
}

// ContextOf is the context of the first place where h itself is, nil when there is none.
func (p *Pipeline) ContextOf(h Handler) *Context {
	if k, err := kindOf(h); err != nil || !k.comparable {
		return nil
	}
	for c := p.head.next; c != &p.tail; c = c.next {
		if c.kind.comparable && c.handler == h {
			return c
		}
	}
	return nil
}

// Find is the first handler of type T (a struct pointer or an interface) and its context; nil and the
// zero T when there is none.
func Find[T any](p *Pipeline) (T, *Context) {
	for c := p.head.next; c != &p.tail; c = c.next {
		if h, ok := c.handler.(T); ok {
			return h, c
		}
	}
	var none T
	return none, nil
}

// Names lists the handlers' names from head to tail.
func (p *Pipeline) Names() []string {
	var names []string
	for c := p.head.next; c != &p.tail; c = c.next {
		names = append(names, c.Name())
	}
	return names
}

// FireRead sends msg through all inbound handlers, as if it came from the socket. It takes msg.
func (p *Pipeline) FireRead(msg any) { p.head.FireRead(msg) }

// FireReadComplete ends a batch of FireRead.
func (p *Pipeline) FireReadComplete() { p.head.FireReadComplete() }

// FireEvent sends a user event through all handlers. It takes the event, like a message.
func (p *Pipeline) FireEvent(event any) { p.head.FireEvent(event) }

// FireError sends an error through all error handlers.
func (p *Pipeline) FireError(err error) { p.head.FireError(err) }

// Write sends msg through all outbound handlers, from the tail. It takes msg and has the errors of Context.Write.
func (p *Pipeline) Write(msg any) error { return p.tail.Write(msg) }

// WriteWith is Write with a promise; it takes both.
func (p *Pipeline) WriteWith(msg any, pr *Promise) { p.tail.WriteWith(msg, pr) }

// Flush sends what was written before, through all outbound handlers.
func (p *Pipeline) Flush() { p.tail.Flush() }

// Read asks for one batch of inbound messages, through all outbound handlers.
func (p *Pipeline) Read() { p.tail.Read() }

// Close closes the channel in the given mode, through all outbound handlers. It takes pr.
func (p *Pipeline) Close(how CloseMode, pr *Promise) { p.tail.CloseWith(how, pr) }

// Name is the handler's name in this pipeline.
func (c *Context) Name() string {
	if c.name != nil {
		return *c.name
	}
	p := &c.ch.pipe
	base := c.kind.name
	if !c.dead {
		base = c.label()
	}
	for i := 0; ; i++ {
		name := base + "#" + strconv.Itoa(i)
		if !p.taken(name) {
			c.name = &name
			return name
		}
	}
}

// taken looks only at names that were given or made already; making one never disturbs another.
func (p *Pipeline) taken(name string) bool {
	for c := p.head.next; c != &p.tail; c = c.next {
		if c.name != nil && *c.name == name {
			return true
		}
	}
	return false
}

func (p *Pipeline) find(name string) (*Context, error) {
	for c := p.head.next; c != &p.tail; c = c.next {
		if c.Name() == name {
			return c, nil
		}
	}
	return nil, fmt.Errorf("pipeline: channel %s has no handler %q: %w", p.head.ch.ID(), name, ErrNoHandler)
}
