package pipeline

import (
	"errors"
	"io"
)

// CloseMode says how a channel is closed. The zero value is the default.
type CloseMode uint8

const (
	// CloseDrain sends what is queued, then FIN, reads until the peer's FIN or Options.Linger has passed,
	// and closes the socket. Inbound bytes are dropped from the start; later writes fail.
	CloseDrain CloseMode = iota
	// CloseNow drops what is queued and closes the socket.
	CloseNow
	// CloseWrite sends what is queued, then FIN, and goes on reading. Later writes fail.
	CloseWrite
	// CloseReset drops what is queued; the peer sees RST.
	CloseReset
)

// String is the mode's name.
func (m CloseMode) String() string {
	switch m {
	case CloseDrain:
		return "drain"
	case CloseNow:
		return "now"
	case CloseWrite:
		return "write"
	case CloseReset:
		return "reset"
	}
	return "unknown"
}

// closing is the state of a close that has begun.
type closing struct {
	promises     []*Promise // of closes of the whole channel
	ends         []*Promise // of CloseWrite
	linger       *Timer
	tell         bool // the cause comes from the socket: handlers hear of it as an error
	toldInactive bool
	inactiveAt   *Context // the last one that was called; a panic there must not hide Inactive from the others
	removing     bool     // handlers are being taken out; none is added any more
	readLast     bool     // a write failed: read what the peer sent before
	noFin        error    // why the transport can't end one side
}

func (c *Channel) beginClosing() *closing {
	if c.closing == nil {
		c.closing = &closing{}
	}
	return c.closing
}

// drainsInput reports whether a draining channel reads, to drop it: a peer that is blocked in writing to us
// would never read the rest of ours.
func (c *Channel) drainsInput() bool { return c.state == stateClosing && !c.in.eof }

// close is the head's end of every close. It takes p.
func (c *Channel) close(how CloseMode, p *Promise) {
	if c.state >= stateClosed {
		if p != nil {
			p.Succeed()
		}
		return
	}
	cl := c.beginClosing()
	if how == CloseWrite {
		c.out.ended = true
		if p != nil {
			cl.ends = append(cl.ends, p)
		}
		c.touch()
		return
	}
	if p != nil {
		cl.promises = append(cl.promises, p)
	}
	switch how {
	case CloseNow:
		c.closeNow(nil)
	case CloseReset:
		c.shut(ErrReset, true)
	default:
		if c.state < stateClosing {
			c.state = stateClosing
			c.touch()
		}
	}
}

// advanceClose takes a draining or half-closing channel as far as it goes.
func (c *Channel) advanceClose() {
	cl := c.closing
	if cl == nil || c.state >= stateClosed {
		return
	}
	if cl.readLast {
		c.readLast()
		return
	}
	if c.state != stateClosing && !c.out.ended || c.Pending() > 0 {
		return
	}
	if cl.linger == nil && !c.sendFin(cl) || !c.finSent(cl) {
		return
	}
	switch {
	case c.in.eof || cl.noFin != nil && c.state == stateClosing:
		c.closeNow(nil)
	case c.state == stateClosing && !cl.linger.Armed():
		cl.linger.Reset(c.opts.Linger)
	}
}

// sendFin ends our side, once, and reports whether the channel lives on. Over a transport that can't do it a
// drained close has nothing to linger for.
func (c *Channel) sendFin(cl *closing) bool {
	cl.linger = &Timer{loop: c.loop, ch: c, run: func() { c.closeNow(nil) }, at: -1}
	c.out.ended = true
	err := c.tr.CloseWrite()
	if errors.Is(err, errors.ErrUnsupported) {
		cl.noFin = err
		return true
	}
	if err != nil {
		c.fail(err)
	}
	return c.state < stateClosed
}

// finSent tells who waits for the end of our side, and reports whether the channel lives on.
func (c *Channel) finSent(cl *closing) bool {
	for len(cl.ends) > 0 && c.state < stateClosed {
		p := cl.ends[0]
		cl.ends = cl.ends[1:]
		p.complete(cl.noFin)
	}
	return c.state < stateClosed
}

// readRest reads and drops what comes in while the channel drains, and looks for the peer's FIN.
func (c *Channel) readRest() {
	if !c.drainsInput() {
		return
	}
	b := c.loop.pool.Get(mostGuess / 8)
	defer c.loop.pool.Put(b)
	for range c.opts.MaxReads {
		_, err := c.tr.Read(b.Reserve(b.Room()))
		switch {
		case err == nil:
			continue
		case errors.Is(err, ErrWouldBlock):
		case errors.Is(err, io.EOF):
			c.in.eof = true
			c.touch()
		default:
			c.fail(err)
		}
		return
	}
}

// writeFailed handles an error of the socket's write side. What the peer sent before is still read.
func (c *Channel) writeFailed(err error) {
	cl := c.beginClosing()
	if c.cause == nil {
		c.cause = socketError(err)
	}
	cl.tell = true
	c.out.ended, c.out.failed = true, true
	if c.state == stateActive && !c.in.eof {
		cl.readLast = true
		c.out.drop(c)
		c.failWrites()
		c.touch()
		return
	}
	c.closeNow(nil)
}

// mostLast is how many bytes are read after a failed write: a peer that goes on sending does not keep the loop.
const mostLast = 4 << 20

// readLast gives the handlers what had arrived when the write failed, then closes.
func (c *Channel) readLast() {
	c.closing.readLast = false
	if c.Reading() {
		c.pipe.tail.Read() // whoever held messages back while the queue was full may go on
	}
	for end := c.in.bytes + mostLast; c.state == stateActive && c.Reading() && !c.in.eof && c.in.bytes < end; {
		before := c.in.bytes
		c.readBatch()
		if c.in.bytes == before {
			break
		}
	}
	c.closeNow(nil)
}

// fail ends the channel because the socket has failed.
func (c *Channel) fail(err error) {
	if c.state >= stateClosed {
		return
	}
	c.beginClosing().tell = true
	c.closeNow(socketError(err))
}

// closeNow closes the socket and fails everything that waits; Inactive follows at the end of the batch.
func (c *Channel) closeNow(cause error) { c.shut(cause, false) }

func (c *Channel) shut(cause error, reset bool) {
	if c.state >= stateClosed {
		return
	}
	c.state = stateClosed
	if c.cause == nil {
		c.cause = cause
	}
	cl := c.beginClosing()
	cl.linger.Stop()
	c.out.stall.Stop()
	c.touch()
	if err := c.tr.Close(reset); err != nil && c.cause == nil {
		c.cause = err
	}
	c.out.drop(c)
	c.failWrites()
	c.closeDone()
}

// failWrites ends the waiting promises in write order: those whose last byte is sent succeed all the same,
// the others fail. Listeners may panic: tearDown calls it again.
func (c *Channel) failWrites() {
	c.failDropped()
	o := &c.out
	for o.firstWait < len(o.waiting) {
		w := o.waiting[o.firstWait]
		o.firstWait++
		switch {
		case w.p.state == promiseCancelled:
			w.p.Fail(ErrCancelled)
		case w.p.state == promiseFlushed && w.end <= o.sent:
			w.p.Succeed()
		default:
			w.p.Fail(c.closedError())
		}
	}
	o.waiting, o.firstWait = nil, 0
}

// closeDone completes the promises of the close itself.
func (c *Channel) closeDone() {
	cl := c.closing
	for len(cl.ends) > 0 {
		p := cl.ends[0]
		cl.ends = cl.ends[1:]
		p.Fail(c.closedError())
	}
	for len(cl.promises) > 0 {
		p := cl.promises[0]
		cl.promises = cl.promises[1:]
		p.Succeed()
	}
}

// tearDown delivers the last events and takes all handlers out, from the tail. A callback that panics
// interrupts it; it is called again then and goes on behind.
func (c *Channel) tearDown() {
	c.failWrites()
	c.closeDone()
	cl := c.closing
	if cl.tell {
		cl.tell = false
		c.origin = origin{event: "socket"}
		c.pipe.head.passError(c.cause)
	}
	c.tellInactive(cl)
	cl.removing = true
	for c.pipe.tail.prev != &c.pipe.head {
		c.pipe.tail.prev.Remove()
	}
	c.stopTimers()
	c.state = stateTorn
	c.over.Store(true)
	for _, g := range c.groups {
		g.drop(c)
	}
	c.groups = nil
}

// tellInactive fires Inactive, once; after a panic it goes on behind the handler that panicked.
func (c *Channel) tellInactive(cl *closing) {
	if !c.active || cl.toldInactive {
		return
	}
	from := &c.pipe.head
	if cl.inactiveAt != nil {
		from = cl.inactiveAt
	}
	if from != &c.pipe.tail {
		from.FireInactive()
	}
	cl.toldInactive = true
}
