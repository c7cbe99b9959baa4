package codec

import "github.com/penstock-go/penstock/pipeline"

// This file is about the end: of the peer's bytes, of the channel, and of the handler's stay in the pipeline.

// HandleReadClosed decodes the rest, then passes on. The end waits behind messages that are held back.
func (h *DecoderHandler[M]) HandleReadClosed(ctx *pipeline.Context) error {
	h.input = inputEnding
	if !h.running && !h.stopped {
		h.endInput(ctx)
	}
	return nil
}

// endInput tells the decoder that no more bytes will come, then the handlers behind.
func (h *DecoderHandler[M]) endInput(ctx *pipeline.Context) {
	h.finish(ctx, true)
	ctx.FireReadClosed()
}

// HandleInactive decodes the rest unless HandleReadClosed has, then passes on. What the decoder has to say against
// the rest is not reported: the channel is gone, and the cause was.
func (h *DecoderHandler[M]) HandleInactive(ctx *pipeline.Context) error {
	if !h.running && !h.stopped { // not after a panic in the middle, and not what nobody wanted
		h.finish(ctx, false)
	}
	h.running = false // after a panic nobody else says so
	h.drop()
	ctx.FireInactive()
	return nil
}

// finish gives the decoder its last chance, once. open: the channel is, and errors are reported.
func (h *DecoderHandler[M]) finish(ctx *pipeline.Context, open bool) {
	if h.input == inputEnded {
		return
	}
	h.input = inputEnded
	h.running = true
	if d, ok := h.decoder.(EOFDecoder[M]); ok {
		h.decodeEnd(ctx, d, open)
	} else if n := h.heldLen(); n > 0 && open {
		h.held.Skip(n)
		ctx.FireError(&TruncatedError{Decoder: h.name(), Left: n})
	}
	h.running = false
	if ctx.Removed() && ctx.Channel().IsOpen() {
		h.passRest(ctx)
		return
	}
	h.drop()
	if h.fired {
		h.fired = false
		ctx.FireReadComplete()
	}
}

// decodeEnd calls DecodeEOF for as long as it gives messages and consumes.
func (h *DecoderHandler[M]) decodeEnd(ctx *pipeline.Context, d EOFDecoder[M], open bool) {
	if h.held == nil {
		h.held, h.own = ctx.Alloc(0), true
	}
	for !ctx.Removed() && (!open || ctx.Channel().IsOpen()) {
		before := h.heldLen()
		m, ok, err := d.DecodeEOF(h.held)
		if err != nil && open {
			ctx.FireError(err)
		}
		if err != nil || !ok {
			h.held.Skip(h.held.Len())
			return
		}
		h.fired = true
		ctx.FireRead(m)
		if h.heldLen() == before && !h.backlogged() {
			return
		}
	}
}

func (h *DecoderHandler[M]) heldLen() int {
	if h.held == nil {
		return 0
	}
	return h.held.Len()
}

// HandleRemoved sends bytes that are held to the handler behind, or to the replacement.
func (h *DecoderHandler[M]) HandleRemoved(ctx *pipeline.Context) error {
	switch {
	case !ctx.Channel().IsOpen():
		h.drop()
		h.input, h.fired = inputOpen, false
	case h.running: // whoever runs passes them on when the receiver of the message returns
	default:
		h.fired = false
		if h.passRest(ctx) {
			ctx.FireReadComplete()
		}
	}
	h.lease.reset(h.decoder)
	return nil
}
