package pipeline

import "fmt"

// This file changes the list of contexts: checks, linking, HandleAdded and HandleRemoved.

// AddBefore adds handlers in front of this one, towards the socket, in the order given, with the errors of
// Pipeline.AddBefore.
func (c *Context) AddBefore(handlers ...Handler) error {
	if c.dead {
		return fmt.Errorf("pipeline: channel %s: adding before a removed handler: %w", c.ch.ID(), ErrNoHandler)
	}
	return c.ch.pipe.add(c.prev, handlers)
}

// AddAfter adds handlers behind this one, towards the application, in the order given, with the errors of
// Pipeline.AddBefore.
func (c *Context) AddAfter(handlers ...Handler) error {
	if c.dead {
		return fmt.Errorf("pipeline: channel %s: adding after a removed handler: %w", c.ch.ID(), ErrNoHandler)
	}
	return c.ch.pipe.add(c, handlers)
}

// Remove takes this handler out. Its context forwards everything from now on; HandleRemoved runs before
// Remove returns. Removing twice does nothing.
func (c *Context) Remove() {
	if c.dead {
		return
	}
	c.unlink()
	c.removed()
}

// Replace puts handlers in this one's place, in the order given; with none it is Remove. The new ones
// are added before the old one's HandleRemoved runs. What the old handler passes on through its context
// afterwards enters the new ones: inbound at the first, outbound at the last. An error means that
// nothing has changed.
func (c *Context) Replace(handlers ...Handler) error {
	if len(handlers) == 0 {
		c.Remove()
		return nil
	}
	if c.dead {
		return fmt.Errorf("pipeline: channel %s: replacing a removed handler: %w", c.ch.ID(), ErrNoHandler)
	}
	p := &c.ch.pipe
	added, err := p.prepare(handlers, c)
	if err != nil {
		return err
	}
	p.link(c, added)
	c.unlink()
	c.next, c.prev = &added[0], &added[len(added)-1]
	c.nextRead, c.prevWrite = c.next, c.prev
	defer c.removed() // also when a HandleAdded does not return
	p.announce(added)
	return nil
}

func (p *Pipeline) add(at *Context, handlers []Handler) error {
	added, err := p.prepare(handlers, nil)
	if err != nil || len(added) == 0 {
		return err
	}
	p.link(at, added)
	p.announce(added)
	return nil
}

// prepare checks everything that can be refused and builds the contexts. leaving is the context whose
// name will be free.
func (p *Pipeline) prepare(handlers []Handler, leaving *Context) ([]Context, error) {
	ch := p.head.ch
	if ch.state == stateTorn || ch.closing != nil && ch.closing.removing {
		return nil, fmt.Errorf("pipeline: channel %s: adding a handler: %w", ch.ID(), ErrClosed)
	}
	added := make([]Context, len(handlers))
	for i, h := range handlers {
		if err := p.prepareOne(&added[i], h, leaving, added[:i]); err != nil {
			for j := range i {
				added[j].disown()
			}
			return nil, err
		}
	}
	return added, nil
}

func (p *Pipeline) prepareOne(c *Context, h Handler, leaving *Context, before []Context) error {
	ch := p.head.ch
	if n, ok := h.(named); ok {
		h, c.name = n.handler, &n.name
		leavingHasIt := leaving != nil && leaving.name != nil && *leaving.name == n.name
		clash := p.taken(n.name) && !leavingHasIt
		for i := range before {
			clash = clash || before[i].name != nil && *before[i].name == n.name
		}
		if clash {
			return fmt.Errorf("pipeline: channel %s, handler %q: %w", ch.ID(), n.name, ErrDuplicateName)
		}
	}
	k, err := kindOf(h)
	if err != nil {
		return fmt.Errorf("pipeline: channel %s: %w", ch.ID(), err)
	}
	if u, ok := h.(unshareable); ok && !u.claim() {
		return fmt.Errorf("pipeline: channel %s, handler %s is in a pipeline already, make one for each channel: %w", ch.ID(), k.name, ErrNotShareable)
	}
	c.ch, c.handler, c.kind = ch, h, k
	c.read, c.write = passOn, passOn
	return nil
}

func (c *Context) disown() {
	if u, ok := c.handler.(unshareable); ok {
		u.disclaim()
	}
}

// link puts the contexts behind at. They deliver nothing until they are announced.
func (p *Pipeline) link(at *Context, added []Context) {
	for i := range added {
		c := &added[i]
		c.prev, c.next = at, at.next
		at.next.prev, at.next = c, c
		at = c
	}
	p.relink()
}

// announce runs HandleAdded in order and opens each context for events.
func (p *Pipeline) announce(added []Context) {
	for i := range added {
		c := &added[i]
		if c.dead {
			continue // an earlier HandleAdded removed it
		}
		c.announced = true
		if c.kind.mask&maskAdded != 0 {
			if err := c.handler.(AddedHandler).HandleAdded(c); err != nil {
				c.refused(err)
				continue
			}
		}
		if c.dead {
			continue
		}
		c.open()
	}
}

func (c *Context) open() {
	c.mask = c.kind.mask
	if r, ok := c.handler.(ReadHandler); ok {
		c.read = r
	}
	if w, ok := c.handler.(WriteHandler); ok {
		c.write = w
	}
	c.ch.pipe.relink()
}

// refused undoes the adding of a handler whose HandleAdded failed.
func (c *Context) refused(err error) {
	name := c.Name()
	c.Remove()
	c.ch.origin = origin{context: c, event: "added"}
	c.ch.pipe.head.passError(&AddedError{Handler: name, Err: err})
}

func (c *Context) unlink() {
	c.prev.next, c.next.prev = c.next, c.prev
	c.nextRead, c.prevWrite = c.next, c.prev
	c.mask, c.dead = 0, true
	c.read, c.write = passOn, passOn
	c.ch.pipe.relink()
}

// removed tells the handler, once, that it has left, if it was told that it was added.
func (c *Context) removed() {
	h := c.handler
	c.handler = passOn
	if r, ok := h.(RemovedHandler); ok && c.announced {
		if err := r.HandleRemoved(c); err != nil {
			c.fail(err, "removed")
		}
	}
	if u, ok := h.(unshareable); ok {
		u.disclaim()
	}
}

// relink recomputes the ready links and the union of masks. Pipelines are short and change seldom.
func (p *Pipeline) relink() {
	all := mask(0)
	read := &p.tail
	for c := p.tail.prev; c != nil; c = c.prev {
		c.nextRead = read
		if c.mask&maskRead != 0 {
			read = c
		}
	}
	write := &p.head
	for c := p.head.next; c != nil; c = c.next {
		c.prevWrite = write
		if c.mask&maskWrite != 0 {
			write = c
		}
		if c != &p.tail {
			all |= c.mask
		}
	}
	p.all = all
}

// forwarder stands in for the handler of a context that is not open for events.
type forwarder struct{}

var passOn = &forwarder{}

// HandleRead passes msg on.
func (*forwarder) HandleRead(ctx *Context, msg any) error {
	ctx.FireRead(msg)
	return nil
}

// HandleWrite passes msg on.
func (*forwarder) HandleWrite(ctx *Context, msg any, p *Promise) error { return ctx.Forward(msg, p) }
