package codec

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Encoder turns messages of type M into bytes. Size is how many bytes Encode will append, or a good
// guess, those that are appended by reference not counted; Encode appends them to out and does not keep m.
// When it fails, nothing of the message is sent. It knows nothing of channels and is called from one
// goroutine at a time.
//
// What else an encoder may implement stands in optional.go.
type Encoder[M any] interface {
	Size(m M) int
	Encode(out *buffer.Writer, m M) error
}

// Accepter is implemented by encoders for which the Go type M does not say it all: M is any, or not
// every value of M is theirs. Messages they do not accept pass untouched.
type Accepter interface {
	Accepts(msg any) bool
}

// EncoderHandler runs an Encoder in a pipeline: each message becomes one outbound message of bytes under
// the same promise, also when it has no bytes. The message is released when it is encoded, also when that
// fails.
//
// Its methods are for the event loop only.
type EncoderHandler[M any] struct {
	pipeline.Unshared
	encoder Encoder[M]
	accepts Accepter
	lease   lease
}

// NewEncoder makes the handler that runs e. An encoder of an interface type must be an Accepter, or it
// would swallow bytes; NewEncoder panics otherwise.
func NewEncoder[M any](e Encoder[M]) *EncoderHandler[M] {
	return &EncoderHandler[M]{encoder: e, accepts: accepter[M](e)}
}

// accepter is c as an Accepter, nil when its type M says it all.
func accepter[M any](c any) Accepter {
	a, _ := c.(Accepter)
	if a == nil && reflect.TypeFor[M]().Kind() == reflect.Interface {
		panic("codec: " + nameOf(c) + " takes an interface type and has no Accepts method") //nolint:forbidigo // misuse by the program, found at set-up
	}
	return a
}

var (
	_ pipeline.AddedHandler   = (*EncoderHandler[any])(nil)
	_ pipeline.WriteHandler   = (*EncoderHandler[any])(nil)
	_ pipeline.RemovedHandler = (*EncoderHandler[any])(nil)
)

// HandleAdded refuses an encoder whose settings make no sense.
func (h *EncoderHandler[M]) HandleAdded(ctx *pipeline.Context) error {
	return h.lease.prepare(ctx, h.encoder)
}

// HandleWrite encodes messages of type M; others pass.
func (h *EncoderHandler[M]) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	m, ok := msg.(M)
	if !ok || h.accepts != nil && !h.accepts.Accepts(msg) {
		return ctx.Forward(msg, p)
	}
	out := ctx.Loop().Writer()
	out.Reset(ctx.Loop().Pool(), h.encoder.Size(m))
	if err := h.encoder.Encode(out, m); err != nil {
		out.Discard()
		ctx.Release(msg)
		return &EncodeError{Encoder: nameOf(h.encoder), Err: err}
	}
	bytes := out.Take()
	ctx.Release(msg)
	return ctx.Forward(bytes, p)
}

// HandleRemoved resets the encoder.
func (h *EncoderHandler[M]) HandleRemoved(*pipeline.Context) error {
	h.lease.reset(h.encoder)
	return nil
}

// Flow says that messages of type M become bytes.
func (h *EncoderHandler[M]) Flow() pipeline.Flow {
	return pipeline.Flow{Writes: takes[M](h.encoder), Sends: bytesTypes()}
}

// takes is what an encoder says it takes, or M itself.
func takes[M any](e any) []reflect.Type {
	if t, ok := e.(interface{ Takes() []reflect.Type }); ok {
		return t.Takes()
	}
	return []reflect.Type{reflect.TypeFor[M]()}
}

// String is the encoder's type.
func (h *EncoderHandler[M]) String() string { return nameOf(h.encoder) }
