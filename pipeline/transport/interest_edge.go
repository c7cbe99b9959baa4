//go:build darwin || dragonfly || freebsd || netbsd || openbsd || (linux && edge)

package transport

// interest is what a channel wants reported, and what the system has reported and was not used up.
type interest struct {
	reading, writing bool
	hints            readiness
	queued           bool
}

// retries are connections to look at in the next round although the system will not report them.
type retries struct{ list []*conn }

// SetInterest says what the channel wants to hear of. Call it on the event loop only.
func (c *conn) SetInterest(read, write bool) error {
	c.reading, c.writing = read, write
	c.again()
	return nil
}

// event looks at the socket after a hint.
func (c *conn) event(r readiness) {
	c.hints |= r
	if r&broken != 0 {
		c.hints |= readable | writable
	}
	if c.writing && c.hints&writable != 0 {
		c.ch.WriteReady()
	}
	switch {
	case c.fd < 0:
		return
	case c.reading && c.hints&readable != 0:
		c.ch.ReadReady()
	case r&broken != 0:
		c.checkReset()
	}
	c.again()
}

// missed looks at the socket after an event may have been lost.
func (c *conn) missed() {
	c.queued = false
	c.event(readable | writable | broken)
}

// again looks at the socket in the next round when there may be something left that the channel wants.
func (c *conn) again() {
	due := c.reading && c.hints&readable != 0 || c.writing && c.hints&writable != 0
	if c.fd < 0 || c.queued || !due {
		return
	}
	c.queued = true
	c.loop.retries.list = append(c.loop.retries.list, c)
	c.loop.wake.wake()
}

// look looks at the connections whose turn it is.
func (r *retries) look() {
	for n := len(r.list); n > 0; n-- {
		c := r.list[0]
		r.list = append(r.list[:0], r.list[1:]...) // one by one: a callback may end the goroutine
		c.queued = false
		if c.fd >= 0 {
			c.event(0)
		}
	}
}

// noteRead notes that n of room bytes were read. A short read has emptied the socket, unless the peer's FIN
// is behind the bytes: that was reported together with them.
func (c *conn) noteRead(n, room int) {
	if n <= 0 || n < room && c.hints&(ended|broken) == 0 {
		c.hints &^= readable
	}
}

// noteFull notes that the socket takes no more.
func (c *conn) noteFull() { c.hints &^= writable }
