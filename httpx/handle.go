package httpx

import (
	"errors"
	"fmt"

	"github.com/penstock-go/penstock/pipeline"
)

// The defaults of ExchangeHandler.
const (
	DefaultMaxPending = 64
	DefaultMaxQueued  = 256 << 10
	DefaultMaxDiscard = 256 << 10
)

// ExchangeHandler is the end of a server's pipeline: it makes an Exchange of each request, has it answered, and sends
// the answers in the order of the requests. While too much waits for its turn, or a body for somebody to take it, the
// connection is not read. Set the fields before it is added. Its methods are for the event loop only.
type ExchangeHandler struct {
	pipeline.Unshared
	// MaxPending is how many requests of the connection may wait for their answer; then it is not read. 0 = 64.
	MaxPending int
	// MaxQueued is how many octets of answers may wait for their turn before the connection is not read; each message
	// counts 128 besides. Beyond that, answers in pieces are not Exchange.Writable, and past Options.HardCap writing them
	// fails. 0 = 256 KiB.
	MaxQueued int
	// MaxDiscard is how many octets of a body that nobody asked for are read and dropped to keep the connection; behind
	// that it is closed. 0 = 256 KiB.
	MaxDiscard int64

	serve  HandlerFunc
	ctx    *pipeline.Context
	spares *spares

	first, last *Exchange // those without a complete answer, in order; it is the turn of the first
	pending     int
	queued      int       // octets of answers that wait for their turn
	receiving   *Exchange // whose body is arriving
	discard     int64     // octets that may still be dropped of a body that nobody wants
	paused      bool      // we have stopped the reading
	closing     bool      // close when the answers that wait are sent
	advancing   bool
	ending      bool // the server is

	server *Server   // found when it is needed
	alone  *Exchange // behind which no request is made
	held   bool      // octets wait behind it
}

var (
	_ pipeline.AddedHandler       = (*ExchangeHandler)(nil)
	_ pipeline.ReadHandler        = (*ExchangeHandler)(nil)
	_ pipeline.WriteHandler       = (*ExchangeHandler)(nil)
	_ pipeline.WritabilityHandler = (*ExchangeHandler)(nil)
	_ pipeline.ErrorHandler       = (*ExchangeHandler)(nil)
	_ pipeline.InactiveHandler    = (*ExchangeHandler)(nil)
)

// Handle makes the handler that answers requests by f. It stands last, behind the codec and Server of Install.
func Handle(f HandlerFunc) *ExchangeHandler { return &ExchangeHandler{serve: f} }

// HandleAdded notes its place.
func (h *ExchangeHandler) HandleAdded(ctx *pipeline.Context) error {
	h.ctx, h.spares = ctx, sparesOf(ctx.Loop())
	return nil
}

// HandleRead takes requests and their bodies.
func (h *ExchangeHandler) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Request:
		h.request(m, nil)
	case *Content:
		h.content(m)
	case *FullRequest:
		h.request(&m.Request, m)
	default:
		ctx.FireRead(msg)
	}
	return nil
}

// HandleWrite takes up answers that come from other goroutines; all else passes.
func (h *ExchangeHandler) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	l, ok := msg.(*late)
	if !ok {
		return ctx.Forward(msg, p)
	}
	l.x.deliver()
	h.after(l.x)
	if p != nil {
		p.Succeed()
	}
	return nil
}

// request begins an exchange. whole is the message that r is part of, if any.
func (h *ExchangeHandler) request(r *Request, whole *FullRequest) {
	x := h.spares.get()
	x.Request, x.whole, x.handler, x.channel = r, whole, h, h.ctx.Channel()
	x.body.begin(r)
	if whole != nil {
		x.body.ended = true
		h.hold(&x.body, whole.takeBody())
	}
	if h.last == nil {
		h.first = x
	} else {
		h.last.next = x
	}
	h.last = x
	h.pending++
	if !x.body.ended {
		h.receiving = x
	}
	x.busy = 1
	serve := h.serve
	if r.diverted != nil {
		serve = r.diverted
	}
	h.try(x, serve(h.ctx, x))
	x.leave()
	h.after(x)
}

// call runs a function of x that takes a piece of the body.
func (h *ExchangeHandler) call(x *Exchange, take func(*Content) error, c *Content) {
	x.enter()
	h.try(x, take(c))
	x.leave()
}

// try deals with what a function of the exchange returned.
func (h *ExchangeHandler) try(x *Exchange, err error) {
	if err == nil || x.answer.gone || !h.ctx.Channel().IsOpen() {
		return
	}
	x.body.take = nil
	if x.Responded() {
		h.ctx.FireError(fmt.Errorf("httpx: behind the answer: %w", err))
		return
	}
	status := statusInternal
	var bad *Error
	if errors.As(err, &bad) && bad.Status != 0 {
		status = bad.Status
	} else {
		h.logFailure(err)
	}
	_ = x.RespondText(status, StatusText(status)+"\n") // ErrResponded: somebody was faster
}

func (h *ExchangeHandler) logFailure(err error) {
	h.ctx.Channel().Logger().Error("httpx: request failed", "channel", h.ctx.Channel().ID(), "error", err)
}

// after tidies up behind an exchange that has just run: what nobody needs is let go, and reading fits what waits.
func (h *ExchangeHandler) after(x *Exchange) {
	if x.answer.left && x == h.first {
		h.advance()
	}
	if h.receiving == x && x.busy == 0 && x.Responded() && x.body.take == nil {
		h.abandon(x)
	}
	x.recycle()
	h.regulate()
}

// regulate stops and starts the reading of the connection.
func (h *ExchangeHandler) regulate() {
	wait := h.closing || h.held ||
		h.receiving == nil && h.pending >= orDefault(h.MaxPending, DefaultMaxPending) ||
		h.queued > orDefault(h.MaxQueued, DefaultMaxQueued) ||
		h.receiving != nil && h.receiving.body.waits()
	if wait != h.paused {
		h.paused = wait
		h.ctx.SetAutoRead(!wait)
	}
}

// HandleWritability tells the exchange whose turn it is, then passes on.
func (h *ExchangeHandler) HandleWritability(ctx *pipeline.Context) error {
	if x := h.first; x != nil {
		x.tellWritable()
	}
	ctx.FireWritability()
	return nil
}

// HandleInactive ends the exchanges that have no complete answer, and the body that was arriving, then passes on.
func (h *ExchangeHandler) HandleInactive(ctx *pipeline.Context) error {
	x := h.receiving
	if x != nil && x.answer.left { // the others are those that abort ends
		h.endBody(x, ErrGone)
		x.recycle()
	}
	h.receiving = nil
	for x = h.first; x != nil; x = h.first {
		h.first, x.next = x.next, nil
		x.abort()
	}
	h.last, h.pending, h.queued = nil, 0, 0
	ctx.FireInactive()
	return nil
}
