package httpx

import (
	"slices"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// upgrade is an answer that leaves HTTP, until its turn comes.
type upgrade struct {
	response *Response
	handlers []pipeline.Handler
}

var _ buffer.Counted = (*upgrade)(nil)

// Retain does nothing: an upgrade is sent once.
func (u *upgrade) Retain() {}

// Release drops the response.
func (u *upgrade) Release() { u.response.Release() }

// Upgrade leaves HTTP: it sends r, 101 or 2xx to CONNECT, when its turn comes, and then puts handlers in the place of
// everything from the codec to Handle. Octets that came behind the request go to them. It takes r. It returns ErrResponded,
// ErrGone, or an *Error when the request did not ask for another protocol; other errors close the connection. Call it on
// the event loop only. RFC 9110, 7.8 and 9.3.6.
func (x *Exchange) Upgrade(r *Response, handlers ...pipeline.Handler) error {
	switch {
	case !x.Request.Upgrade:
		r.Release()
		return refuse(0, "switching protocols without being asked")
	case x.answer.gone:
		r.Release()
		return ErrGone
	case !x.claim():
		r.Release()
		return ErrResponded
	}
	x.answer.begun, x.answer.ended, x.answer.mute = true, true, true
	err := x.handler.put(x, &upgrade{response: r, handlers: handlers})
	x.handler.settle(x)
	return err
}

// perform does what an upgrade says; it is the turn of its exchange.
func (u *upgrade) perform(h *ExchangeHandler, x *Exchange) error {
	if err := h.ctx.Write(u.response); err != nil {
		h.ctx.FireError(err)
		return err
	}
	return h.leave(x, u.handlers)
}

// hijack leaves HTTP without an answer, when its turn comes.
type hijack struct{ handlers []pipeline.Handler }

// Hijack leaves HTTP without a word: when its turn comes, handlers are put in the place of everything from the codec to
// Handle, and what else is sent is their affair. It may stand in the place of an answer, or in the middle of one. Octets
// that came behind the request go to the handlers, with those of its body that nobody has taken; a request that was
// made of them already is dropped, so that whoever wants them all says Alone first. It returns ErrResponded or ErrGone;
// other errors close the connection. Call it on the event loop only.
func (x *Exchange) Hijack(handlers ...pipeline.Handler) error {
	if err := x.leaving(); err != nil {
		return err
	}
	err := x.handler.put(x, &hijack{handlers: handlers})
	x.handler.settle(x)
	return err
}

// perform is that of an upgrade.
func (j *hijack) perform(h *ExchangeHandler, x *Exchange) error {
	for y := x.next; y != nil; y = x.next {
		x.next, y.next = y.next, nil
		y.abort()
	}
	h.last, h.pending = x, 1
	held := x.body.held
	x.body.held = nil
	h.endBody(x, ErrBodyTaken)
	if err := h.ctx.AddAfter(j.handlers...); err != nil {
		x.body.held = held
		h.ctx.FireError(err)
		return err
	}
	for _, c := range held {
		h.queued -= octets(c)
		if c.Len() > 0 {
			h.ctx.FireRead(c.Data.Buffer())
		}
		c.Release()
	}
	return h.remove()
}

// leave puts handlers in the place of HTTP.
func (h *ExchangeHandler) leave(x *Exchange, handlers []pipeline.Handler) error {
	h.endBody(x, ErrBodyTaken)
	if err := h.ctx.AddAfter(handlers...); err != nil {
		h.ctx.FireError(err)
		return err
	}
	return h.remove()
}

// remove takes everything from the codec to Handle out of the pipeline.
func (h *ExchangeHandler) remove() error {
	ctx := h.ctx
	names := ctx.Pipeline().Names()
	last := slices.Index(names, ctx.Name())
	first := last
	if s := h.findServer(); s != nil {
		first = slices.Index(names, ctx.Pipeline().ContextOf(s.decoder).Name())
	}
	// From the end, so that what the codec still holds finds the new handlers next to it.
	for _, name := range slices.Backward(names[first : last+1]) {
		if err := ctx.Pipeline().Remove(name); err != nil {
			ctx.FireError(err)
			return err
		}
	}
	return nil
}
