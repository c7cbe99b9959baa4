package httpx

import (
	"errors"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// DefaultReadBody is the limit of Exchange.ReadBody in octets.
const DefaultReadBody = 1 << 20

// ErrBodyTaken is what asking for a body a second time returns, or behind the answer, when the body has been dropped.
var ErrBodyTaken = errors.New("httpx: the body has been taken or dropped")

// inboundBody is what an exchange knows of the body of its request.
type inboundBody struct {
	collector *collector // of ReadBody
	left      int64      // octets that have not come, when that is known
	expects   bool       // the client waits for 100 (Continue), and nothing of the body has come
	ended     bool       // all has come
	asked     bool       // by OnBody, or dropped
	paused    bool
	feeding   bool
	take      func(*Content) error
	broken    func(err error) error
	held      []*Content // nobody wants them yet
}

func (b *inboundBody) begin(r *Request) {
	b.left = r.Length
	b.ended = r.Length == 0
	b.expects = r.ExpectContinue && !b.ended
}

// waits reports whether no more of the body is wanted for now.
func (b *inboundBody) waits() bool { return b.paused || len(b.held) > 0 }

// spoils reports whether the connection must end with an answer that is given now, since the rest of the body cannot
// be got out of the way. RFC 9110, 10.1.1: a client that waits for 100 may send the body all the same, or not.
func (b *inboundBody) spoils(h *ExchangeHandler) bool {
	return b.expects || b.take == nil && !b.ended && b.left > orDefault(h.MaxDiscard, DefaultMaxDiscard)
}

// hold keeps a piece that nobody wants yet.
func (h *ExchangeHandler) hold(b *inboundBody, c *Content) {
	b.held = append(b.held, c)
	h.queued += octets(c)
}

// letGo drops the pieces that nobody has taken.
func (h *ExchangeHandler) letGo(b *inboundBody) {
	for _, c := range b.held {
		h.queued -= octets(c)
		c.Release()
	}
	b.held = nil
}

// OnBody has f called with each piece of the body as it comes; f takes the piece. The last one has Last set, and the
// trailers if there are any; a request without a body gives EmptyLast at once. The first call tells a client that waits
// for it to go on (RFC 9110, 10.1.1). What came before stays with the connection meanwhile, which is not read on. An
// error of f is treated like one of the HandlerFunc, and f is called no more. ErrBodyTaken: somebody else was faster.
func (x *Exchange) OnBody(f func(c *Content) error) error {
	b := &x.body
	if b.asked {
		return ErrBodyTaken
	}
	b.asked, b.take = true, f
	if b.ended && len(b.held) == 0 {
		x.handler.call(x, f, EmptyLast)
		x.handler.settle(x)
		return nil
	}
	if b.expects && !x.Responded() {
		b.expects = false
		_ = x.handler.put(x, NewResponse(statusContinue)) // a channel that closes ends the exchange
	}
	x.feed()
	return nil
}

// PauseBody stops the pieces of OnBody, and with them the reading of the connection.
func (x *Exchange) PauseBody() { x.body.paused = true; x.handler.settle(x) }

// ResumeBody ends PauseBody.
func (x *Exchange) ResumeBody() {
	x.body.paused = false
	x.feed()
}

// feed gives what was held back to whoever wants it.
func (x *Exchange) feed() {
	b, h := &x.body, x.handler
	if b.feeding {
		return
	}
	b.feeding = true
	x.enter()
	for len(b.held) > 0 && !b.paused && b.take != nil {
		c := b.held[0]
		b.held = b.held[1:]
		h.queued -= octets(c)
		h.try(x, b.take(c))
	}
	x.leave()
	b.feeding = false
	h.settle(x)
}

// settle is after for calls that may come from inside a function of the exchange, or behind its end.
func (h *ExchangeHandler) settle(x *Exchange) {
	if x.busy == 0 && !x.answer.gone {
		h.after(x)
	}
}

// content takes a piece of a body.
func (h *ExchangeHandler) content(c *Content) {
	x := h.receiving
	if x == nil {
		h.drop(c)
		return
	}
	b := &x.body
	b.expects = false
	b.left -= int64(c.Len())
	if c.Last {
		b.ended, h.receiving = true, nil
	}
	if b.take == nil || b.paused || len(b.held) > 0 {
		h.hold(b, c)
	} else {
		h.call(x, b.take, c)
	}
	h.settle(x)
}

// endBody ends the body of x, if it is still arriving: nobody gets more of it.
func (h *ExchangeHandler) endBody(x *Exchange, cause error) {
	if h.receiving != x {
		return
	}
	h.receiving = nil
	h.letGo(&x.body)
	x.body.take = nil
	if c := x.body.collector; c != nil {
		x.enter()
		_ = c.end(nil, cause) // nobody can be told
		x.leave()
	}
}

// abandon drops the rest of a body that nobody wants.
func (h *ExchangeHandler) abandon(x *Exchange) {
	b := &x.body
	h.letGo(b)
	b.asked, b.expects = true, false
	h.receiving = nil
	h.discard = orDefault(h.MaxDiscard, DefaultMaxDiscard)
}

// drop drops a piece of a body that nobody wants. A body that does not end soon costs the connection.
func (h *ExchangeHandler) drop(c *Content) {
	h.discard -= int64(c.Len())
	c.Release()
	if h.discard >= 0 || h.closing {
		return
	}
	h.closing = true
	if h.first == nil {
		h.ctx.Close()
	}
	h.regulate()
}

// ReadBody collects the body and has f called once with it, on the event loop: at once when all of it has come. body
// is read-only and valid until f returns. A body of more than limit octets, 0 = 1 MiB, gives an *Error with Status 413,
// one whose client leaves ErrGone, one in the middle of which Upgrade or Hijack leaves HTTP ErrBodyTaken. An error of f,
// which may be the one that it got, is treated like one of the HandlerFunc. ErrBodyTaken: the body was asked for before.
func (x *Exchange) ReadBody(limit int, f func(body []byte, err error) error) error {
	limit = orDefault(limit, DefaultReadBody)
	c := &collector{x: x, limit: limit, f: f}
	if x.body.asked {
		return ErrBodyTaken
	}
	if x.body.left > int64(limit) {
		x.body.asked = true
		return f(nil, refuse(statusContentTooLarge, "body too large"))
	}
	x.body.collector = c
	return x.OnBody(c.take)
}

// collector puts a body together.
type collector struct {
	x     *Exchange
	limit int
	f     func(body []byte, err error) error
	whole *buffer.Buffer
}

func (c *collector) take(piece *Content) error {
	defer piece.Release()
	switch {
	case c.f == nil:
		return nil
	case c.length()+piece.Len() > c.limit:
		return c.end(nil, refuse(statusContentTooLarge, "body too large"))
	case piece.Last && c.whole == nil:
		return c.end(piece.Bytes(), nil)
	}
	if c.whole == nil {
		c.whole = c.x.handler.ctx.Alloc(piece.Len())
	}
	c.whole.Append(piece.Bytes())
	if piece.Last {
		return c.end(c.whole.Bytes(), nil)
	}
	return nil
}

func (c *collector) length() int {
	if c.whole == nil {
		return 0
	}
	return c.whole.Len()
}

// end calls f, once.
func (c *collector) end(body []byte, err error) error {
	f := c.f
	if f == nil {
		return nil
	}
	c.f = nil
	if err != nil {
		c.x.body.take = nil // nobody wants the rest
	}
	err = f(body, err)
	if c.whole != nil {
		c.whole.Release()
		c.whole = nil
	}
	return err
}
