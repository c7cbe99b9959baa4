package httpx

import (
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// This file is what a connection does with what comes from the server.

// maxInterims is how many interim responses there may be to one request.
const maxInterims = 32

// HandleRead takes the response.
func (c *clientConn) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Response:
		if c.call == nil || !c.channel.IsOpen() {
			m.Release()
			return nil
		}
		c.response(m)
	case *Content:
		// A body that ends with the connection is complete only when the server has ended it, while ours is open.
		if c.call == nil || !c.channel.IsOpen() {
			m.Release()
			return nil
		}
		c.content(m)
	default:
		ctx.FireRead(msg)
	}
	return nil
}

func (c *clientConn) response(r *Response) {
	call := c.call
	if r.Interim() {
		c.interim(r)
		return
	}
	c.responded = true
	if c.expecting {
		// RFC 9110, 10.1.1: the server has decided without the body, which is not sent then.
		c.expecting = false
		call.forgetBody()
	}
	call.dropRequest()
	if r.Upgrade {
		c.leaveHTTP(r)
		return
	}
	c.keep = min(c.keep, keepAliveHint(&r.Header, c.keep))
	c.last = c.loop().Now()
	if r.Length != 0 {
		c.await()
		c.flow(call.deliver(r, 0, c.loop()))
		return
	}
	c.detach()
	call.deliver(r, 0, c.loop())
	call.deliver(EmptyLast, 0, c.loop())
	call.end(nil, c.loop())
}

func (c *clientConn) interim(r *Response) {
	c.interims++
	switch {
	case c.interims > maxInterims:
		r.Release()
		c.fail(refuse(0, "too many interim responses"))
	case r.Status != statusContinue:
		c.call.deliver(r, 0, c.loop())
	default:
		r.Release()
		if c.expecting {
			c.expecting = false
			c.await()
			c.pump()
		}
	}
}

func (c *clientConn) content(m *Content) {
	call := c.call
	c.last = c.loop().Now()
	if !m.Last {
		c.flow(call.deliver(m, m.Len(), c.loop()))
		return
	}
	c.detach()
	call.deliver(m, m.Len(), c.loop())
	call.end(nil, c.loop())
}

// flow stops reading when the call has enough.
func (c *clientConn) flow(full bool) {
	if full && c.call != nil {
		c.stopped = true
		c.ctx.SetAutoRead(false)
	}
}

// detach ends the service of a call whose response is complete, before the call hears of it, so that its next request
// finds the connection. What makes it unfit for another request: one side does not keep it, octets follow that nobody
// asked for, the request is not complete. RFC 9112, 9.3 and 9.6.
func (c *clientConn) detach() {
	call := c.call
	c.call = nil
	call.conn.Store(nil)
	if c.sent && !c.state.Closing() && c.decoder.left == 0 {
		c.free()
	} else {
		c.shut()
	}
}

// leaveHTTP hands the connection over.
func (c *clientConn) leaveHTTP(r *Response) {
	call, on := c.call, c.loop()
	if call.OnUpgrade == nil || call.cancelled() {
		r.Release()
		c.fail(refuse(0, "the server leaves HTTP, and nobody takes over"))
		return
	}
	c.call = nil
	call.conn.Store(nil)
	c.timer.Stop()
	p := &c.client.pool
	p.mu.Lock()
	p.drop(c, ErrServerGone)
	dials := c.client.wanted(c.host)
	p.leave(c.host)
	p.mu.Unlock()
	c.client.startDials(c.host, dials)
	err := call.OnUpgrade(r, c.channel)
	if err != nil {
		c.fail(err)
	} else {
		c.ctx.SetReadWhileUnwritable(false)
		// From the end, so that what the codec still holds finds the new handlers next to it.
		c.ctx.Remove()
		for _, h := range [...]pipeline.Handler{c.codec[1], c.codec[0]} {
			if ctx := c.channel.Pipeline().ContextOf(h); ctx != nil {
				ctx.Remove()
			}
		}
	}
	call.end(err, on)
}

// keepAliveHint is how long the server keeps an unused connection, with a second less for the way there, or otherwise.
// The field is not standardized, but servers that close early send it.
func keepAliveHint(h *Header, otherwise time.Duration) time.Duration {
	if len(h.fields) == 0 {
		return otherwise
	}
	value := h.Get("keep-alive")
	for len(value) > 0 {
		var element []byte
		element, value = nextElement(value)
		const name = "timeout="
		if len(element) <= len(name) || !equalFold(element[:len(name)], name) {
			continue
		}
		if n, ok := parseLength(element[len(name):]); ok && n < int64(otherwise/time.Second) {
			return time.Duration(n)*time.Second - time.Second
		}
	}
	return otherwise
}
