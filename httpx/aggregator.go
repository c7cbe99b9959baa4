package httpx

import (
	"errors"
	"reflect"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
)

// DefaultMaxBytes is the limit of a body that an Aggregator puts together, in octets.
const DefaultMaxBytes = codec.DefaultMaxWhole

// Aggregator puts heads and the pieces of their bodies together: handlers behind it see *FullRequest, or on a client
// *FullResponse. Memory is taken as the octets arrive, not as they are announced. Interim responses pass, and so does
// what belongs to no message.
//
// A request over the limit is answered with 413 and its connection closed, behind the answers to the requests before
// it; nothing behind it is read. When its length is declared that is before the body is sent. A client that waits for
// 100 (Continue) gets it when nothing of the body has come with the head. RFC 9110, 10.1.1 and 15.5.14. On a client a
// response over the limit is an *Error.
//
// It is for pipelines whose handlers answer by themselves, and for clients. Behind it an ExchangeHandler has the whole
// body at once, but needs no Aggregator: Exchange.ReadBody collects a body only where somebody asks for it.
//
// The zero value is ready. Behind Install it finds the Server, which knows whose turn it is; without one it answers at
// once. Its methods are for the event loop only.
type Aggregator struct {
	pipeline.Unshared
	// MaxBytes is the limit of one body, in octets. 0 = 1 MiB. Set it before adding.
	MaxBytes int

	ctx   *pipeline.Context
	parts *codec.Aggregator[any, any]

	awaited bool // the client waits for 100 and nothing of the body has come
	owed    bool // it gets it when its turn comes
	refused bool
}

var (
	_ pipeline.AddedHandler        = (*Aggregator)(nil)
	_ pipeline.ReadHandler         = (*Aggregator)(nil)
	_ pipeline.ReadCompleteHandler = (*Aggregator)(nil)
	_ pipeline.WriteHandler        = (*Aggregator)(nil)
	_ pipeline.InactiveHandler     = (*Aggregator)(nil)
	_ pipeline.RemovedHandler      = (*Aggregator)(nil)
)

// HandleAdded prepares for a new connection.
func (a *Aggregator) HandleAdded(ctx *pipeline.Context) error {
	a.ctx = ctx
	a.awaited, a.owed, a.refused = false, false, false
	a.parts = codec.NewAggregator(codec.Assembly[any, any]{
		Name: a.String(), MaxBytes: a.limit(), Accepts: isPart, Start: a.start, Append: a.add, Last: isLast,
		Bytes: partBytes, TooLong: tooLong,
	})
	return a.parts.HandleAdded(ctx)
}

func (a *Aggregator) limit() int { return orDefault(a.MaxBytes, DefaultMaxBytes) }

// HandleRead takes heads and pieces and fires whole messages.
func (a *Aggregator) HandleRead(ctx *pipeline.Context, msg any) error {
	if a.refused {
		ctx.Release(msg)
		return nil
	}
	err := a.parts.HandleRead(ctx, msg)
	var bad *Error
	if errors.As(err, &bad) && bad.Status != 0 {
		return a.refuse(bad.Status)
	}
	return err
}

// HandleReadComplete lets a client that waits send its body, then passes on.
func (a *Aggregator) HandleReadComplete(ctx *pipeline.Context) error {
	if a.awaited {
		a.awaited, a.owed = false, true
		if err := a.advance(); err != nil {
			return err
		}
	}
	return a.parts.HandleReadComplete(ctx)
}

// HandleWrite passes messages on, and behind them what waited for its turn.
func (a *Aggregator) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if err := ctx.Forward(msg, p); err != nil {
		return err
	}
	if a.owed {
		if err := a.advance(); err != nil {
			ctx.FireError(err) // msg itself is on its way
		}
	}
	return nil
}

// HandleInactive drops what is not complete, then passes on.
func (a *Aggregator) HandleInactive(ctx *pipeline.Context) error { return a.parts.HandleInactive(ctx) }

// HandleRemoved drops what is not complete.
func (a *Aggregator) HandleRemoved(ctx *pipeline.Context) error { return a.parts.HandleRemoved(ctx) }

// Flow says what the handler reads and emits.
func (a *Aggregator) Flow() pipeline.Flow {
	return pipeline.Flow{
		Reads: []reflect.Type{reflect.TypeFor[*Request](), reflect.TypeFor[*Response](), reflect.TypeFor[*Content]()},
		Emits: []reflect.Type{reflect.TypeFor[*FullRequest](), reflect.TypeFor[*FullResponse](), reflect.TypeFor[*Response]()},
	}
}

// String is the handler's name.
func (a *Aggregator) String() string { return "httpx.Aggregator" }

// refuse makes the request that has just come the last of the connection. What else comes is dropped.
func (a *Aggregator) refuse(status int) error {
	a.refused, a.awaited, a.owed = true, false, false
	a.ctx.SetAutoRead(false)
	if s, ctx := a.server(); s != nil {
		return s.refuseNewest(ctx, status)
	}
	answer, err := newRefusal(status)
	if err == nil {
		err = a.ctx.Write(answer)
	}
	a.ctx.Close()
	return err
}

// advance gives the interim answer that is owed when its turn has come. RFC 9112, 9.3.2.
func (a *Aggregator) advance() error {
	s, _ := a.server()
	if s != nil && (s.state.ahead() > 0 || s.state.sent.open) {
		return nil
	}
	a.owed = false
	if !a.ctx.Channel().IsOpen() {
		return nil
	}
	return a.ctx.Write(NewResponse(statusContinue))
}

// server returns the Server of this connection, nil when there is none.
func (a *Aggregator) server() (*Server, *pipeline.Context) {
	return pipeline.Find[*Server](a.ctx.Pipeline())
}
