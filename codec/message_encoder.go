package codec

import "github.com/penstock-go/penstock/pipeline"

// MessageEncoderHandler runs a MessageEncoder in a pipeline. The promise of a message completes when all that
// it was turned into has; the message itself is released when it is encoded, also when that fails. Other messages,
// and those that an Accepter does not accept, pass. Its methods are for the event loop only.
type MessageEncoderHandler[M any] struct {
	pipeline.Unshared
	encoder MessageEncoder[M]
	accepts Accepter
	out     outputs
	emit    func(any)
	lease   lease
}

// NewMessageEncoder makes the handler that runs e. An encoder of an interface type must be an Accepter;
// NewMessageEncoder panics otherwise.
func NewMessageEncoder[M any](e MessageEncoder[M]) *MessageEncoderHandler[M] {
	h := &MessageEncoderHandler[M]{encoder: e, accepts: accepter[M](e)}
	h.emit = h.out.emit
	return h
}

var (
	_ pipeline.AddedHandler   = (*MessageEncoderHandler[any])(nil)
	_ pipeline.WriteHandler   = (*MessageEncoderHandler[any])(nil)
	_ pipeline.RemovedHandler = (*MessageEncoderHandler[any])(nil)
)

// HandleAdded refuses an encoder whose settings make no sense.
func (h *MessageEncoderHandler[M]) HandleAdded(ctx *pipeline.Context) error {
	return h.lease.prepare(ctx, h.encoder)
}

// HandleWrite converts messages of type M.
func (h *MessageEncoderHandler[M]) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	m, ok := msg.(M)
	if !ok || h.accepts != nil && !h.accepts.Accepts(msg) {
		return ctx.Forward(msg, p)
	}
	err := h.encoder.EncodeMessage(m, h.emit)
	ctx.Release(msg)
	list := h.out.take()
	defer h.out.giveBack(list)
	if err == nil && len(list) == 0 {
		err = ErrNoOutput
	}
	if err != nil {
		h.out.drop(list)
		return &EncodeError{Encoder: nameOf(h.encoder), Err: err}
	}
	if len(list) == 1 {
		return ctx.Forward(list[0], p)
	}
	return h.forwardAll(ctx, list, p)
}

// forwardAll sends list under one promise. What comes behind a message that was refused is dropped.
func (h *MessageEncoderHandler[M]) forwardAll(ctx *pipeline.Context, list []any, p *pipeline.Promise) error {
	if p == nil {
		for i, out := range list {
			if err := ctx.Forward(out, nil); err != nil {
				h.out.drop(list[i+1:])
				return err
			}
		}
		return nil
	}
	all := pipeline.Combine(p)
	for i, out := range list {
		part := all.Part()
		if err := ctx.Forward(out, part); err != nil {
			part.Fail(err)
			h.out.drop(list[i+1:])
			break
		}
	}
	all.Done()
	return nil
}

// HandleRemoved gives back what the encoder holds, and drops what it had emitted when it panicked.
func (h *MessageEncoderHandler[M]) HandleRemoved(*pipeline.Context) error {
	h.out.drop(h.out.take())
	h.lease.reset(h.encoder)
	return nil
}

// Flow says what the encoder takes.
func (h *MessageEncoderHandler[M]) Flow() pipeline.Flow {
	return pipeline.Flow{Writes: takes[M](h.encoder)}
}

// String is the encoder's type.
func (h *MessageEncoderHandler[M]) String() string { return nameOf(h.encoder) }
