package httpx

import (
	"errors"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// ErrNotBegun is what a piece of an answer is refused with that has not begun, or has ended.
var ErrNotBegun = errors.New("httpx: the answer has not begun or has ended")

// answerState is what an exchange knows of its answer.
type answerState struct {
	begun  bool // Begin or Upgrade was called
	ended  bool // all of it was given
	mute   bool // it has no body: what is given of one is dropped
	left   bool // all of it was passed on
	gone   bool // the client left first
	queue  []any
	queued int
	ready  func()
}

// Begin begins an answer in pieces and takes r: Write and End follow, but need not when an answer with this status, or
// to this request, has no body. It returns ErrResponded when there is an answer already, ErrGone when the client has
// left. Call it on the event loop only.
func (x *Exchange) Begin(r *Response) error {
	if x.answer.gone || !x.claim() {
		r.Release()
		if x.answer.gone {
			return ErrGone
		}
		return ErrResponded
	}
	x.answer.begun = true
	x.answer.mute = bodiless(x.Request.Method, r)
	x.answer.ended = x.answer.mute
	if x.body.spoils(x.handler) {
		r = r.unshared()
		r.Close = true
	}
	err := x.handler.put(x, r)
	x.handler.settle(x)
	return err
}

// bodiless reports whether r, as the answer to a request with method m, is complete by itself. RFC 9112, 6.3.
func bodiless(m Method, r *Response) bool {
	switch r.Status {
	case statusSwitching, statusNoContent, statusResetContent, statusNotModified:
		return true
	}
	if m == MethodHead || m == MethodConnect && r.Status/100 == 2 {
		return true
	}
	n, ok := parseLength(r.Header.Get("content-length"))
	return ok && n == 0
}

// Interim sends an informational answer, 1xx but 101, in front of the final one and takes r. HTTP/1.0 clients get none.
// RFC 9110, 15.2. Call it on the event loop only.
func (x *Exchange) Interim(r *Response) error {
	switch {
	case !r.Interim():
		r.Release()
		return refuse(0, "not an interim status")
	case x.answer.gone:
		r.Release()
		return ErrGone
	case x.Responded():
		r.Release()
		return ErrResponded
	}
	if r.Status == statusContinue {
		x.body.expects = false
	}
	return x.handler.put(x, r)
}

// Write gives the next piece of an answer that has begun and takes c; one with Last ends it. It returns ErrNotBegun,
// ErrGone, or pipeline.ErrOutboundFull when the client does not keep up: Writable tells before. Call it on the event
// loop only.
func (x *Exchange) Write(c *Content) error {
	return x.piece(c, c.Last, c.Len())
}

// WriteBytes is Write with a copy of p. Call it on the event loop only.
func (x *Exchange) WriteBytes(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	b := x.handler.ctx.Alloc(len(p))
	b.Append(p)
	c := NewContent(b.ReadSlice(len(p)))
	b.Release()
	return x.Write(c)
}

// WriteFile gives a piece of a file as the next piece and takes f; the answer must have a Content-Length. Call it on the
// event loop only.
func (x *Exchange) WriteFile(f *pipeline.FileRegion) error {
	return x.piece(f, false, 0)
}

// End ends an answer that has begun. Call it on the event loop only.
func (x *Exchange) End() error { return x.Write(EmptyLast) }

// EndWith is End with fields behind the body, which it keeps; nil is End. An answer with Content-Length has no place for
// them, and they are dropped. RFC 9112, 7.1.2. Call it on the event loop only.
func (x *Exchange) EndWith(trailer *Header) error {
	if trailer == nil {
		return x.End()
	}
	c := newPiece(buffer.Slice{}, true)
	c.Trailer = trailer
	return x.Write(c)
}

func (x *Exchange) piece(msg any, last bool, n int) error {
	a := &x.answer
	switch {
	case a.gone:
		buffer.Release(msg)
		return ErrGone
	case a.mute:
		buffer.Release(msg)
		return nil
	case !a.begun || a.ended:
		buffer.Release(msg)
		return ErrNotBegun
	case x.handler.queued+n > x.channel.Options().HardCap:
		buffer.Release(msg)
		return pipeline.ErrOutboundFull
	}
	a.ended = last
	err := x.handler.put(x, msg)
	x.handler.settle(x)
	return err
}

// Writable reports whether more of the answer is wanted: little of it waits, for its turn or for the client. Call it on
// the event loop only.
func (x *Exchange) Writable() bool {
	switch {
	case x.answer.gone:
		return false
	case x == x.handler.first && len(x.answer.queue) == 0:
		return x.channel.Writable() && x.handler.withheld() < x.channel.Options().WriteHigh
	}
	return x.answer.queued < x.channel.Options().WriteHigh
}

// withheld returns how many octets of answers handlers in front hold back.
func (h *ExchangeHandler) withheld() int {
	if s := h.findServer(); s != nil {
		return s.state.withheld
	}
	return 0
}

// OnWritable has f called on the event loop each time that the answer becomes Writable again. A later f replaces an
// earlier one. Call it on the event loop only.
func (x *Exchange) OnWritable(f func()) { x.answer.ready = f }

func (x *Exchange) tellWritable() {
	if x.answer.ready != nil && !x.answer.ended && x.Writable() {
		x.enter()
		x.answer.ready()
		x.leave()
		x.handler.settle(x)
	}
}

// put sends a part of x's answer when it is its turn, and keeps it until then.
func (h *ExchangeHandler) put(x *Exchange, msg any) error {
	if x == h.first && len(x.answer.queue) == 0 {
		err := h.send(x, msg)
		if x.answer.left {
			h.advance()
		}
		return err
	}
	n := octets(msg)
	x.answer.queue = append(x.answer.queue, msg)
	x.answer.queued += n
	h.queued += n
	return nil
}

// messageCost is what a waiting message counts besides its octets: many short ones take memory too.
const messageCost = 128

// octets is what a waiting message counts.
func octets(msg any) int {
	switch m := msg.(type) {
	case *FullResponse:
		return messageCost + m.wireBytes()
	case *Content:
		return messageCost + m.Len()
	case *Response:
		return messageCost + m.wireBytes()
	case *pipeline.FileRegion:
		return m.Len() // no memory, but enough of a file waits for its turn
	}
	return messageCost
}

// send passes a part of the answer on whose turn it is.
func (h *ExchangeHandler) send(x *Exchange, msg any) error {
	var end, head bool
	if len(x.hooks) > 0 {
		msg = x.hooked(msg)
		if x.answer.left { // one of them has left HTTP
			buffer.Release(msg)
			return ErrResponded
		}
	}
	switch m := msg.(type) {
	case *FullResponse:
		end, head = true, true
	case *Content:
		end = m.Last
	case *Response:
		head = !m.Interim()
		end = head && x.answer.mute
	case *upgrade:
		x.answer.left = true
		return m.perform(h, x)
	case *hijack:
		x.answer.left = true
		return m.perform(h, x)
	case abortion:
		x.answer.left = true
		h.ctx.Close()
		return nil
	}
	x.answer.left = end
	err := h.ctx.Write(msg)
	if err != nil {
		h.unsent(x, head, err)
	}
	return err
}

// unsent deals with a part of an answer that was not passed on. A connection that closes anyway needs nothing.
func (h *ExchangeHandler) unsent(x *Exchange, head bool, err error) {
	if h.ctx.Channel().IsOpen() && !errors.Is(err, ErrAfterLast) {
		h.refused(x, head, err)
	}
}

// refused deals with a part of an answer that the encoder did not take: one that had not begun becomes a 500, since
// nothing of it was written; of another the client has to learn that it is not complete.
func (h *ExchangeHandler) refused(x *Exchange, head bool, err error) {
	if !head {
		h.ctx.FireError(err)
		return
	}
	h.logFailure(err)
	x.answer.ended, x.answer.mute, x.answer.left = true, true, true
	answer := NewFullResponse(statusInternal)
	answer.SetBodyString(StatusText(statusInternal) + "\n")
	if err := h.ctx.Write(answer); err != nil {
		h.ctx.FireError(err)
	}
}

// advance goes on to the exchange whose turn has come.
func (h *ExchangeHandler) advance() {
	if h.advancing {
		return
	}
	h.advancing = true
	for h.first != nil && h.first.flush() {
		x := h.first
		h.first, x.next = x.next, nil
		h.pending--
		if !x.brief || x.parent.ctx != nil { // nobody else asks for it any more
			x.parent.end(errOver)
		}
		h.accompany(x)
		x.recycle()
	}
	h.advancing = false
	switch {
	case h.first != nil:
		h.first.tellWritable()
	case h.closing:
		h.last = nil
		h.ctx.Close()
	default:
		h.last = nil
	}
	h.wake()
}

// flush sends what has waited for its turn and reports whether the answer is complete.
func (x *Exchange) flush() bool {
	a := &x.answer
	for len(a.queue) > 0 && !a.left {
		msg := a.queue[0]
		a.queue = a.queue[1:]
		n := octets(msg)
		a.queued -= n
		x.handler.queued -= n
		_ = x.handler.send(x, msg) // who gave it has gone on; send reports what matters
	}
	return a.left
}

// abort ends an exchange whose client has left.
func (x *Exchange) abort() {
	a := &x.answer
	a.gone = true
	for _, msg := range a.queue {
		buffer.Release(msg)
	}
	a.queue = nil
	x.handler.letGo(&x.body)
	x.parent.end(ErrGone)
	x.enter()
	if c := x.body.collector; c != nil {
		_ = c.end(nil, ErrGone) // nobody can be told
	}
	if f := x.gone; f != nil {
		x.gone = nil
		f(ErrGone)
	}
	x.leave()
	a.left = true
	x.recycle()
}
