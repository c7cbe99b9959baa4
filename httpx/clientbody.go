package httpx

import (
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// downward is what is on its way from whoever sends the request to the connection.
type downward struct {
	queue    queue
	posted   bool // the connection has been told
	starving bool // the sender has been told to wait
}

// Write gives the next piece of the request's body and takes p; one with Last ends it. It returns ErrBodyEnded, or
// pipeline.ErrOutboundFull past 16 MiB that wait: Writable tells before. What is given when the call has ended, because
// the response was complete or for another reason, is dropped silently, and so is an empty piece when the request has no
// body. Call it on the event loop only.
func (c *Call) Write(p *Content) error {
	switch {
	case c.ended || c.cancelled() || !c.body && p.Len() == 0:
		p.Release()
		return nil
	case !c.body || c.written:
		p.Release()
		return ErrBodyEnded
	}
	c.mu.Lock()
	down := &c.down
	if down.queue.bytes+p.Len() > pipeline.DefaultHardCap {
		c.mu.Unlock()
		p.Release()
		return pipeline.ErrOutboundFull
	}
	c.written = p.Last
	down.queue.put(p, p.Len())
	down.starving = down.starving || down.queue.bytes >= callWindow
	posted := down.posted
	c.mu.Unlock()
	c.tellConn(posted)
	return nil
}

// tellConn has the connection look at what is there, unless somebody has posted that.
func (c *Call) tellConn(posted bool) {
	conn := c.conn.Load()
	switch {
	case conn == nil: // it looks when it begins
	case c.direct(conn.loop()):
		outer := c.busy
		c.busy = true // no function runs inside Write
		conn.pump()
		c.busy = outer
		if c.rerun && !outer {
			c.wake()
		}
	case !posted:
		c.mu.Lock()
		c.down.posted = true
		c.mu.Unlock()
		_ = conn.channel.Post(conn.pumpTask) // one that is gone ends the call
	}
}

// WriteBytes is Write with a copy of p. Call it on the event loop only.
func (c *Call) WriteBytes(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	b := c.loop.Pool().Get(len(p))
	b.Append(p)
	piece := NewContent(b.ReadSlice(len(p)))
	b.Release()
	return c.Write(piece)
}

// End ends the body of the request. Call it on the event loop only.
func (c *Call) End() error { return c.Write(EmptyLast) }

// Writable reports whether another piece of the request's body is wanted: little of it waits, and the server, when it
// was asked by Expect: 100-continue, has not kept it back. Call it on the event loop only.
func (c *Call) Writable() bool {
	if c.ended || c.written || !c.body {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.down.starving && c.state.Load() == callRunning
}

// nextPiece takes a piece of the body for the connection, nil = there is none.
func (c *Call) nextPiece() *Content {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.down.queue
	p, _ := q.peek().(*Content)
	if p != nil {
		q.next()
	}
	return p
}

// tellWritable says that more of the body is wanted, to those who wait for that. It runs on the connection's loop.
func (c *Call) tellWritable(on *pipeline.Loop) {
	c.mu.Lock()
	down := &c.down
	tells := down.starving && down.queue.bytes <= callWindow/2
	if tells {
		down.starving, c.up.writable = false, true
	}
	c.mu.Unlock()
	if tells {
		c.turn(on)
	}
}

// forgetBody drops what waits of the request: nobody wants it.
func (c *Call) forgetBody() {
	c.mu.Lock()
	c.down.queue.drop()
	c.mu.Unlock()
}

// holdBody makes the body of a whole request the piece that follows its head.
func (c *Call) holdBody() {
	data := buffer.FromBytes(c.full.Body())
	p := newPiece(data.ReadSlice(data.Len()), true)
	data.Release()
	p.Trailer = c.full.Trailer
	c.mu.Lock()
	c.down.queue.put(p, p.Len())
	c.mu.Unlock()
}
