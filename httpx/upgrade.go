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
func (u *upgrade) perform(h *ExchangeHandler) error {
	ctx := h.ctx
	if err := ctx.Write(u.response); err != nil {
		ctx.FireError(err)
		return err
	}
	if err := ctx.AddAfter(u.handlers...); err != nil {
		ctx.FireError(err)
		return err
	}
	names := ctx.Pipeline().Names()
	last := slices.Index(names, ctx.Name())
	first := last
	if s, _ := pipeline.Find[*Server](ctx.Pipeline()); s != nil {
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
