package codec

import "github.com/penstock-go/penstock/pipeline"

// This file is about when a DecoderHandler stops between two messages and goes on.

// HandleReadComplete passes on; when reading is by request and the batch gave no message it asks for
// another, since whoever asked still waits for one.
func (h *DecoderHandler[M]) HandleReadComplete(ctx *pipeline.Context) error {
	if !h.fired && !h.stopped && !ctx.Channel().AutoRead() {
		ctx.Read()
	}
	h.fired = false
	ctx.FireReadComplete()
	return nil
}

// HandleReadRequest serves a request from what is held, or passes it on.
func (h *DecoderHandler[M]) HandleReadRequest(ctx *pipeline.Context) error {
	if !h.stopped || h.running {
		ctx.Read()
		return nil
	}
	if ctx.Channel().AutoRead() {
		h.resume(ctx)                 // for as long as it stays on
		if ctx.Channel().AutoRead() { // else what comes next would pass as asked for, all of it
			ctx.Read()
		}
		return nil
	}
	served := false
	ctx.Channel().Inject(func(*pipeline.Pipeline) { served = h.resume(ctx) })
	if !served || ctx.Channel().AutoRead() { // it may be on by now
		ctx.Read()
	}
	return nil
}

// HandleWritability goes on with what is held when the channel has become writable.
func (h *DecoderHandler[M]) HandleWritability(ctx *pipeline.Context) error {
	ctx.FireWritability()
	if h.stopped {
		h.resume(ctx)
	}
	return nil
}

// Wake decodes again what is held. It is for those who know that the decoder waited for something other than
// bytes, such as the answer to an upgrade, and that it has come. Call it on the event loop only.
func (h *DecoderHandler[M]) Wake() {
	switch {
	case h.ctx == nil || !h.hasWork():
	case !h.running && !h.ctx.Channel().Reading():
		h.stopped = true // it goes on when the channel reads again
	default:
		h.resume(h.ctx)
	}
}

// resume goes on with what is held, as a batch of its own, and reports whether messages came out.
func (h *DecoderHandler[M]) resume(ctx *pipeline.Context) bool {
	if h.running || ctx.Removed() || !ctx.Channel().Reading() {
		return false
	}
	outer := h.fired
	h.fired = false
	h.run(ctx)
	fired := h.fired
	h.fired = outer
	if fired {
		ctx.FireReadComplete()
	}
	return fired
}
