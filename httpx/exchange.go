package httpx

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// HandlerFunc answers one request. ctx is the place of the handler that Handle made. It runs on the event loop and must
// not block: it answers at once, or keeps x and answers later, from the loop or from any goroutine. An error that it
// returns before an answer has begun becomes one, with the status of an *Error or 500; behind that it closes the
// connection.
type HandlerFunc func(ctx *pipeline.Context, x *Exchange) error

// ErrResponded is what answering an exchange a second time returns. What was given is released.
var ErrResponded = errors.New("httpx: the request has been answered already")

// ErrGone is the cause that an exchange ends with when the client has left before it had its answer.
var ErrGone = errors.New("httpx: client left before the answer was complete")

// errOver is what Parent is cancelled with when all went well.
var errOver = errors.New("httpx: exchange is over")

// Exchange is one request and its answer. The answer is given exactly once: whole, by Respond, or in pieces, by Begin,
// Write and End. Answers may be given in any order; they leave in the order of the requests (RFC 9112, 9.3.2).
//
// An Exchange lives as long as somebody holds it, and its Request stays readable, also after the client has left. Reply
// is the exception: it says that nobody will hold the exchange.
//
// Methods belong to the event loop, except for those that say so.
type Exchange struct {
	// Request is what was asked. It belongs to the exchange: do not release it. Retain it to keep it beyond.
	Request *Request

	whole   *FullRequest // the message that Request is part of; nil = it is one itself
	handler *ExchangeHandler
	channel *pipeline.Channel
	next    *Exchange // request behind this one

	phase atomic.Uint32
	given *FullResponse // by Respond, until the loop takes it up
	late  late
	busy  int  // functions of the exchange that run on the loop, one inside the other
	kept  bool // somebody may hold it, so that it is never used for another request
	brief bool // answered by Reply: nobody holds it

	body   inboundBody
	answer answerState
	gone   func(cause error)
	ending func()              // of OnShutdown
	hooks  []func(r *Response) // of OnAnswer
	route  takenRoute
	parent parent
}

// The phases of an answer. Respond can come from any goroutine while the loop runs a function of the exchange; who of
// the two passes the answer on is settled by who changes the phase last.
const (
	phaseRunning    uint32 = iota // the loop runs a function of the exchange and looks for an answer behind it
	phaseWaiting                  // nobody looks
	phaseGiving                   // Respond is at it, and the loop will look
	phaseGivingLate               // Respond is at it, and nobody will look
	phaseGiven                    // there is one
)

// Channel is the connection. Safe for concurrent use.
func (x *Exchange) Channel() *pipeline.Channel { return x.channel }

// Post runs f on the event loop of the connection, unless that is closed by then. It has the errors of
// pipeline.Channel.Post. Safe for concurrent use.
func (x *Exchange) Post(f func()) error { return x.channel.Post(f) }

// Respond gives the whole answer and takes r. It returns ErrResponded when there is an answer already. r is sent when
// its turn comes, after the function that runs at the moment. Safe for concurrent use.
func (x *Exchange) Respond(r *FullResponse) error {
	for {
		switch phase := x.phase.Load(); phase {
		case phaseRunning:
			if x.phase.CompareAndSwap(phaseRunning, phaseGiving) {
				x.given = r
				if x.phase.CompareAndSwap(phaseGiving, phaseGiven) {
					return nil
				}
				return x.sendLate()
			}
		case phaseWaiting:
			if x.phase.CompareAndSwap(phaseWaiting, phaseGivingLate) {
				x.given = r
				return x.sendLate()
			}
		default:
			r.Release()
			return ErrResponded
		}
	}
}

// Reply is Respond for a function that answers at once, and cheaper: it says that nobody holds x or its Request behind
// the return of the function, so that both serve the next request. Call it on the event loop only, from the HandlerFunc
// or what that calls; from elsewhere it is Respond.
func (x *Exchange) Reply(r *FullResponse) error {
	if x.busy == 0 || x.kept {
		return x.Respond(r)
	}
	if !x.phase.CompareAndSwap(phaseRunning, phaseGiven) {
		r.Release()
		return ErrResponded
	}
	x.brief = true
	h := x.handler
	if x != h.first || len(x.answer.queue) > 0 || len(x.hooks) > 0 || x.answer.gone || x.body.spoils(h) {
		x.given = r
		x.deliver()
		return nil
	}
	// What deliver, put and send would do, with fewer calls under the encoder: it is where a server spends its time. The
	// next exchange has its turn when this one's function has returned.
	x.answer.ended, x.answer.left = true, true
	if err := h.ctx.Write(r); err != nil {
		h.unsent(x, true, err)
	}
	return nil
}

// sendLate brings an answer to the loop that nobody there waits for.
func (x *Exchange) sendLate() error {
	x.phase.Store(phaseGiven)
	x.late.x = x
	return x.channel.Send(&x.late, nil)
}

// late carries an answer from another goroutine to the loop. When the channel has closed meanwhile, the pipeline
// releases it, and with it the answer.
type late struct{ x *Exchange }

var _ buffer.Counted = (*late)(nil)

// Retain does nothing: a late answer is sent once.
func (l *late) Retain() {}

// Release drops the answer that nobody can be given any more.
func (l *late) Release() {
	if r := l.x.given; r != nil {
		l.x.given = nil
		r.Release()
	}
}

// RespondText is Respond with a body of text/plain in UTF-8. Safe for concurrent use.
func (x *Exchange) RespondText(status int, text string) error {
	r := NewFullResponse(status)
	r.SetBodyString(text)
	if err := r.Header.Add("content-type", "text/plain; charset=utf-8"); err != nil {
		r.Release()
		return err
	}
	return x.Respond(r)
}

// RespondBytes is Respond with that body, which it does not copy and which must not change before it is sent; an empty
// contentType sets no field. It returns an *Error, and answers nothing, when contentType has a control character. Safe
// for concurrent use.
func (x *Exchange) RespondBytes(status int, contentType string, body []byte) error {
	r := NewFullResponse(status)
	r.SetBody(body)
	if contentType != "" {
		if err := r.Header.Add("content-type", contentType); err != nil {
			r.Release()
			return err
		}
	}
	return x.Respond(r)
}

// Responded reports whether there is an answer, whole or begun. Safe for concurrent use.
func (x *Exchange) Responded() bool { return x.phase.Load() > phaseWaiting }

// OnGone has f called on the event loop, once, when the client leaves before the answer is complete; cause matches
// ErrGone. It is called at once when that is so already. A later f replaces an earlier one.
func (x *Exchange) OnGone(f func(cause error)) {
	if x.answer.gone {
		f(ErrGone)
		return
	}
	x.gone = f
}

// enter says that a function of the exchange is about to run on the loop; leave that it has returned.
func (x *Exchange) enter() {
	if x.busy++; x.busy == 1 {
		x.phase.CompareAndSwap(phaseWaiting, phaseRunning)
	}
}

// leave passes on an answer that was given meanwhile, and keeps the exchange for those who may hold it.
func (x *Exchange) leave() {
	if x.busy == 1 && !x.brief {
		x.keep()
		x.settlePhase()
	}
	x.busy--
}

// settlePhase waits for an answer from elsewhere unless there is one.
func (x *Exchange) settlePhase() {
	for {
		switch x.phase.Load() {
		case phaseRunning:
			if x.phase.CompareAndSwap(phaseRunning, phaseWaiting) {
				return
			}
		case phaseGiving:
			if x.phase.CompareAndSwap(phaseGiving, phaseGivingLate) {
				return
			}
		case phaseGiven:
			x.deliver()
			return
		default:
			return
		}
	}
}

// keep makes the exchange one that its holders may use for as long as they like.
func (x *Exchange) keep() {
	if !x.kept {
		x.kept = true
		x.Request.detach()
	}
}

// recycle takes an exchange that is over for the next request, unless somebody may hold it. Over means that all of this
// is so, and whatever makes the last of it so calls recycle:
//
//	busy == 0           no function of it runs        (leave, then ExchangeHandler.after)
//	answer.left         its answer was passed on      (put and Reply, then ExchangeHandler.advance)
//	receiving is other  its body has come or is dropped (content, abandon)
//
// It may be held unless it was answered by Reply (brief) before its function returned; others are kept, with a Request
// that belongs to no pool.
func (x *Exchange) recycle() {
	if x.busy > 0 || !x.answer.left || x.handler.receiving == x {
		return
	}
	x.handler.letGo(&x.body)
	if x.kept {
		return
	}
	if x.whole != nil {
		x.whole.Release()
	} else {
		x.Request.Release()
	}
	h := x.handler
	*x = Exchange{}
	if !buffer.Debug {
		h.spares.put(x)
	}
}

// claim makes the loop's own answer the one that counts.
func (x *Exchange) claim() bool {
	return x.phase.CompareAndSwap(phaseRunning, phaseGiven) || x.phase.CompareAndSwap(phaseWaiting, phaseGiven)
}

// deliver takes up an answer that Respond has left.
func (x *Exchange) deliver() {
	r := x.given
	if r == nil {
		return
	}
	x.given = nil
	if x.answer.gone {
		r.Release()
		return
	}
	if x.body.spoils(x.handler) {
		r = r.unshared()
		r.Close = true
	}
	x.answer.ended = true
	_ = x.handler.put(x, r) // what matters is reported there
}

// parent is the context of work that an exchange has started elsewhere.
type parent struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelCauseFunc
	cause  error // why it is over already
}

// Parent is cancelled when the client leaves, with ErrGone, or when the exchange is over. Work that other goroutines
// do for the exchange takes it as its parent. Safe for concurrent use.
func (x *Exchange) Parent() context.Context {
	p := &x.parent
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx == nil {
		p.ctx, p.cancel = context.WithCancelCause(context.Background())
		if p.cause != nil {
			p.cancel(p.cause)
		}
	}
	return p.ctx
}

func (p *parent) end(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause == nil {
		p.cause = cause
	}
	if p.cancel != nil {
		p.cancel(cause)
	}
}
