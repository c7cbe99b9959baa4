package codec

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// MessageDecoder turns one inbound message of type M into any number of others, none included. It gives each
// to emit, which takes it, and does not keep m: bytes of m that a result holds are taken by Slice. When it fails,
// what it emitted is dropped.
type MessageDecoder[M any] interface {
	DecodeMessage(m M, emit func(msg any)) error
}

// MessageEncoder turns one outbound message of type M into one or more others. It gives each to emit, which
// takes it, and does not keep m. Emitting nothing is an error, ErrNoOutput: nobody could tell when the message
// was sent. When it fails, what it emitted is dropped.
type MessageEncoder[M any] interface {
	EncodeMessage(m M, emit func(msg any)) error
}

// outputs collects what a message codec emits. Receivers may cause the next message to be converted while
// the results of the last are on their way, so a list belongs to one conversion.
type outputs struct{ list []any }

func (o *outputs) emit(msg any) { o.list = append(o.list, msg) }

// take gives the list away.
func (o *outputs) take() []any {
	list := o.list
	o.list = nil
	return list
}

// giveBack keeps an emptied list for the next conversion.
func (o *outputs) giveBack(list []any) {
	clear(list)
	if o.list == nil {
		o.list = list[:0]
	}
}

// drop releases the messages of list.
func (o *outputs) drop(list []any) {
	for _, msg := range list {
		buffer.Release(msg)
	}
}

// MessageDecoderHandler runs a MessageDecoder in a pipeline. Other messages, and those that an Accepter
// does not accept, pass. Its methods are for the event loop only.
type MessageDecoderHandler[M any] struct {
	pipeline.Unshared
	decoder MessageDecoder[M]
	accepts Accepter
	out     outputs
	emit    func(any)
	lease   lease
}

// NewMessageDecoder makes the handler that runs d. A decoder of an interface type must be an Accepter;
// NewMessageDecoder panics otherwise.
func NewMessageDecoder[M any](d MessageDecoder[M]) *MessageDecoderHandler[M] {
	h := &MessageDecoderHandler[M]{decoder: d, accepts: accepter[M](d)}
	h.emit = h.out.emit
	return h
}

var (
	_ pipeline.AddedHandler   = (*MessageDecoderHandler[any])(nil)
	_ pipeline.ReadHandler    = (*MessageDecoderHandler[any])(nil)
	_ pipeline.RemovedHandler = (*MessageDecoderHandler[any])(nil)
)

// HandleAdded refuses a decoder whose settings make no sense.
func (h *MessageDecoderHandler[M]) HandleAdded(ctx *pipeline.Context) error {
	return h.lease.prepare(ctx, h.decoder)
}

// HandleRead converts messages of type M. It stops when the channel closes.
func (h *MessageDecoderHandler[M]) HandleRead(ctx *pipeline.Context, msg any) error {
	m, ok := msg.(M)
	if !ok || h.accepts != nil && !h.accepts.Accepts(msg) {
		ctx.FireRead(msg)
		return nil
	}
	err := h.decoder.DecodeMessage(m, h.emit)
	ctx.Release(msg)
	list := h.out.take()
	defer h.out.giveBack(list)
	if err != nil {
		h.out.drop(list)
		return err
	}
	for i, out := range list {
		if !ctx.Channel().IsOpen() && i > 0 {
			h.out.drop(list[i:])
			break
		}
		ctx.FireRead(out)
	}
	return nil
}

// HandleRemoved gives back what the decoder holds, and drops what it had emitted when it panicked.
func (h *MessageDecoderHandler[M]) HandleRemoved(*pipeline.Context) error {
	h.out.drop(h.out.take())
	h.lease.reset(h.decoder)
	return nil
}

// Flow says what the decoder reads and, if it knows, emits.
func (h *MessageDecoderHandler[M]) Flow() pipeline.Flow {
	f := pipeline.Flow{Reads: takes[M](h.decoder)}
	if e, ok := h.decoder.(interface{ Emits() []reflect.Type }); ok {
		f.Emits = e.Emits()
	}
	return f
}

// String is the decoder's type.
func (h *MessageDecoderHandler[M]) String() string { return nameOf(h.decoder) }
