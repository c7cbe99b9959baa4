package pipeline

// Combiner makes one promise out of many: the parent completes when every part has, with the first
// error. It serves handlers that turn one message into several.
type Combiner struct {
	parent *Promise
	open   int
	err    error
}

// Combine starts a combiner for parent, which it takes; parent may be nil, and then the parts are nil
// too. Call Done after the last Part. Call it on the event loop only.
func Combine(parent *Promise) *Combiner {
	return &Combiner{parent: parent, open: 1}
}

// Part is the promise for one more message.
func (c *Combiner) Part() *Promise {
	if c.parent == nil {
		return nil
	}
	c.open++
	p := newPromise(c.parent.ch)
	p.parent = c
	return p
}

// Done says that no more parts will be taken; with no parts the parent succeeds now.
func (c *Combiner) Done() { c.childDone(nil) }

func (c *Combiner) childDone(err error) {
	if c.parent == nil {
		return
	}
	if c.err == nil {
		c.err = err
	}
	c.open--
	if c.open > 0 {
		return
	}
	p := c.parent
	c.parent = nil
	if c.err != nil {
		p.Fail(c.err)
		return
	}
	p.Succeed()
}
