//go:build linux && !edge

package transport

// interest is what a channel wants reported, and what its descriptor is registered for.
type interest struct {
	reading bool // wanted
	watch   watch
}

// SetInterest says what the channel wants to hear of. Reading is given up only when something arrives that
// nobody wants: most pauses are over by then. Call it on the event loop only.
func (c *conn) SetInterest(read, write bool) error {
	c.reading = read
	switch {
	case read && write:
		return c.change(watchReadWrite)
	case write:
		return c.change(watchWrite)
	case read:
		return c.change(watchRead)
	case c.watch != watchRead:
		return c.change(watchReset)
	}
	return nil
}

func (c *conn) change(to watch) error {
	from := c.watch
	if from == to {
		return nil
	}
	c.watch = to
	return c.loop.poll.change(c.fd, from, to)
}

// event looks at the socket after a hint.
func (c *conn) event(r readiness) {
	if r&(writable|broken) != 0 && (c.watch == watchReadWrite || c.watch == watchWrite) {
		c.ch.WriteReady()
	}
	switch {
	case c.fd < 0 || r&(readable|broken) == 0:
	case c.reading:
		c.ch.ReadReady()
	default:
		c.unwanted(r)
	}
}

// unwanted stops the reports about a socket that nobody reads, except of its failure.
func (c *conn) unwanted(r readiness) {
	if r&broken != 0 {
		c.checkReset()
	}
	if c.fd < 0 || c.watch != watchRead {
		return
	}
	if err := c.change(watchReset); err != nil {
		c.ch.Failed(err)
	}
}

// missed looks at the socket after an event may have been lost: one that is reported only once.
func (c *conn) missed() {
	if c.watch == watchReset {
		c.event(broken)
	}
}

// The system reports again what was left, so nothing has to be remembered.

func (c *conn) noteRead(_, _ int) {}
func (c *conn) noteFull()         {}

type retries struct{}

func (retries) look() {}
