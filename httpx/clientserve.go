package httpx

import (
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// This file is how a connection serves its calls.

// wakeFrom has wake called: at once when on is the connection's loop.
func (c *clientConn) wakeFrom(on *pipeline.Loop) {
	if on != nil && on == c.loop() {
		c.wake()
		return
	}
	_ = c.channel.Post(c.wakeTask) // when it is gone HandleInactive has seen to the call
}

// wake begins with the call that the connection has been given to.
func (c *clientConn) wake() {
	p := &c.client.pool
	p.mu.Lock()
	next, unused := c.next, c.links.in
	c.next = nil
	p.mu.Unlock()
	switch {
	case next != nil:
		c.begin(next)
	case unused:
		c.rest()
	}
}

// begin sends the request of call.
func (c *clientConn) begin(call *Call) {
	switch {
	case !c.channel.IsOpen():
		c.client.again(call, c.loop()) // nothing was sent
		return
	case call.cancelled():
		call.end(nil, c.loop())
		c.free()
		return
	}
	c.call = call
	c.sent, c.responded, c.expecting = !call.body, false, call.expects
	c.interims, c.keep = 0, orDefault(c.client.IdleTimeout, DefaultIdleTimeout)
	c.decoder.seen = false
	call.conn.Store(c)
	if err := c.send(call); err != nil {
		c.call = nil
		call.conn.Store(nil)
		c.free()
		call.end(err, c.loop())
		return
	}
	c.await()
	c.pump()
}

// send writes the request: whole, or its head. When it fails nothing was written.
func (c *clientConn) send(call *Call) error {
	full := call.full
	switch {
	case full == nil && call.body:
		r := call.request
		call.request = nil
		return c.ctx.Write(r)
	case full == nil:
		call.request.Retain() // for another try
		return c.ctx.Write(call.request)
	case !call.expects:
		full.Retain()
		return c.ctx.Write(full)
	}
	full.Length = int64(full.BodyLen())
	if full.Trailer != nil && full.Trailer.Len() > 0 {
		full.Length = LengthChunked
	}
	c.sent, call.held = false, true
	call.holdBody()
	full.Retain()
	return c.ctx.Write(&full.Request) // the references of a FullRequest are those of its Request
}

// await sets the timer for what the connection waits for.
func (c *clientConn) await() {
	switch {
	case c.expecting:
		c.arm(orDefault(c.client.ContinueWait, DefaultContinueWait))
	case c.responded:
		c.arm(orDefault(c.client.BodyTimeout, DefaultBodyTimeout))
	case c.sent:
		c.arm(orDefault(c.client.HeadTimeout, DefaultHeadTimeout))
	default:
		c.timer.Stop() // a server that takes no octet is the channel's affair
	}
}

func (c *clientConn) arm(d time.Duration) {
	if c.timer == nil {
		c.timer = c.ctx.After(d, c.expired)
	} else {
		c.timer.Reset(d)
	}
}

// expired is what happens when nothing has.
func (c *clientConn) expired() {
	switch {
	case c.call == nil:
		c.client.pool.mu.Lock()
		unused := c.client.pool.unuse(c)
		c.client.pool.mu.Unlock()
		if unused {
			c.shut()
		}
	case c.expecting:
		c.expecting = false
		c.await()
		c.pump()
	case !c.responded:
		c.fail(&TimeoutError{What: "response head", After: orDefault(c.client.HeadTimeout, DefaultHeadTimeout)})
	default:
		c.expiredBody(orDefault(c.client.BodyTimeout, DefaultBodyTimeout))
	}
}

// expiredBody looks whether octets of a body were under way meanwhile, or were not wanted.
func (c *clientConn) expiredBody(within time.Duration) {
	switch left := within - c.loop().Now().Sub(c.last); {
	case c.stopped || !c.sent:
		c.arm(within)
	case left > 0:
		c.arm(left)
	default:
		c.fail(&TimeoutError{What: "more of the response", After: within})
	}
}

// pump sends what waits of the request's body.
func (c *clientConn) pump() {
	call := c.call
	if call == nil || c.pumping {
		return
	}
	call.mu.Lock()
	call.down.posted = false
	call.mu.Unlock()
	if c.expecting || c.sent {
		return
	}
	c.pumping = true
	for !c.sent && c.channel.Writable() {
		p := call.nextPiece()
		if p == nil {
			break
		}
		last := p.Last
		if err := c.ctx.Write(p); err != nil {
			c.fail(err)
			break
		}
		c.last = c.loop().Now()
		if c.sent = last; last {
			c.await()
		}
	}
	c.pumping = false
	call.tellWritable(c.loop())
}

// resume reads the connection again.
func (c *clientConn) resume() {
	call := c.call
	if call == nil || !c.stopped {
		return
	}
	call.mu.Lock()
	full := call.up.full
	call.mu.Unlock()
	if !full {
		c.goOn()
	}
}

func (c *clientConn) goOn() {
	if c.stopped {
		c.stopped = false
		c.last = c.loop().Now()
		c.ctx.SetAutoRead(true)
	}
}

// abandon closes the connection when it serves call, which nobody wants to hear of any more.
func (c *clientConn) abandon(call *Call) {
	if c.call != call {
		return
	}
	c.call = nil
	call.conn.Store(nil)
	call.end(nil, c.loop())
	c.shut()
}

// free serves the next call, or keeps the connection unused, or closes it.
func (c *clientConn) free() {
	c.used = true
	c.goOn()
	age := c.loop().Now().Sub(c.born)
	if !c.channel.IsOpen() || c.keep <= 0 || age >= orDefault(c.client.MaxAge, DefaultMaxAge) {
		c.shut()
		return
	}
	p := &c.client.pool
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		c.shut()
		return
	}
	next := c.host.waiting.pop()
	if next != nil {
		next.assigned = c
		p.mu.Unlock()
		c.begin(next)
		return
	}
	surplus := c.client.keep(c)
	p.mu.Unlock()
	c.rest()
	closeAll(surplus)
}

// rest limits how long the connection is unused.
func (c *clientConn) rest() {
	c.used = true
	age := c.loop().Now().Sub(c.born)
	c.arm(min(c.keep, orDefault(c.client.MaxAge, DefaultMaxAge)-age))
}
