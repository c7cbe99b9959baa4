package codec

import (
	"fmt"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// deflateAhead is how many compressed bytes are passed on before a flush, so that they count against the watermark.
const deflateAhead = 16 << 10

// DeflateHandler compresses all outbound bytes of a channel into one stream, which is complete so far at each flush
// and ended properly by CloseDrain, CloseWrite and the removal of the handler. Promises complete when the compressed
// bytes of their message reached the kernel. A *pipeline.FileRegion is refused, since it would pass uncompressed: send
// NewReaderChunks of the file. Messages that are not bytes pass.
//
// Its methods are for the event loop only.
type DeflateHandler struct {
	pipeline.Unshared
	deflater *Deflater
	dirty    bool     // something was written since the last flush
	promises *flights // of messages whose bytes may still be in the deflater, or are on their way
	broken   error    // the stream has ended, or bytes of it were lost
	lease    lease
}

// NewDeflate makes the handler that compresses by d.
func NewDeflate(d *Deflater) *DeflateHandler { return &DeflateHandler{deflater: d} }

var (
	_ pipeline.AddedHandler    = (*DeflateHandler)(nil)
	_ pipeline.WriteHandler    = (*DeflateHandler)(nil)
	_ pipeline.FlushHandler    = (*DeflateHandler)(nil)
	_ pipeline.CloseHandler    = (*DeflateHandler)(nil)
	_ pipeline.InactiveHandler = (*DeflateHandler)(nil)
	_ pipeline.RemovedHandler  = (*DeflateHandler)(nil)
)

// HandleAdded refuses wrong settings.
func (h *DeflateHandler) HandleAdded(ctx *pipeline.Context) error {
	h.promises = &flights{} // bytes of an earlier stay may still be on their way, and need theirs
	return h.lease.prepare(ctx, h.deflater)
}

// HandleWrite compresses bytes; other messages pass.
func (h *DeflateHandler) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	switch msg.(type) {
	case *buffer.Buffer, *buffer.Composite:
	case *pipeline.FileRegion:
		buffer.Release(msg)
		return &EncodeError{Encoder: h.String(), Err: fmt.Errorf("file region can't be compressed: %w", ErrUnframeable)}
	default:
		return ctx.Forward(msg, p)
	}
	err := h.broken
	if err == nil {
		err = h.compress(msg)
	}
	ctx.Release(msg)
	if err != nil {
		return &EncodeError{Encoder: h.String(), Err: err}
	}
	h.dirty = true
	h.promises.board(p)
	if h.deflater.Pending() >= deflateAhead {
		h.forward(ctx, h.deflater.Take(), nil)
	}
	return nil
}

func (h *DeflateHandler) compress(msg any) (err error) {
	eachPiece(msg, func(piece []byte) bool {
		_, err = h.deflater.Write(piece)
		return err == nil
	})
	return err
}

// HandleFlush makes what was written complete and sends it.
func (h *DeflateHandler) HandleFlush(ctx *pipeline.Context) error {
	if h.dirty {
		h.dirty = false
		h.send(ctx, h.deflater.Flush())
	}
	ctx.Flush()
	return nil
}

// HandleClose ends the stream before a drained close or a half-close.
func (h *DeflateHandler) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	if how == pipeline.CloseDrain || how == pipeline.CloseWrite {
		h.end(ctx)
		return ctx.ForwardClose(how, p)
	}
	err := ctx.ForwardClose(how, p) // what is on its way fails first
	h.promises.strand(pipeline.ErrClosed)
	return err
}

// end closes the stream and sends the rest of it.
func (h *DeflateHandler) end(ctx *pipeline.Context) {
	h.dirty = false
	h.send(ctx, h.deflater.Close())
	if h.broken == nil {
		h.broken = pipeline.ErrWriteClosed
	}
}

// send forwards what is compressed, under the promises that wait for it. An error loses bytes of the stream.
func (h *DeflateHandler) send(ctx *pipeline.Context, err error) {
	if err != nil {
		h.breakOff(ctx, err)
	}
	if h.broken != nil {
		return
	}
	p := h.promises.leave(ctx)
	out := h.deflater.Take()
	switch {
	case out != nil:
	case p != nil: // messages without bytes
		out = ctx.Alloc(0)
	default:
		return
	}
	h.forward(ctx, out, p)
}

// forward passes compressed bytes on. A refusal loses them.
func (h *DeflateHandler) forward(ctx *pipeline.Context, out any, p *pipeline.Promise) {
	err := ctx.Forward(out, p)
	if err == nil {
		return
	}
	h.promises.turnBack(p, err)
	h.breakOff(ctx, err)
}

// breakOff gives the stream up. It is an error of the channel, which can't say anything more that the peer understands.
func (h *DeflateHandler) breakOff(ctx *pipeline.Context, err error) {
	if h.broken != nil {
		return
	}
	h.broken = err
	h.promises.strand(err)
	if ctx.Channel().IsOpen() {
		ctx.FireError(&EncodeError{Encoder: h.String(), Err: err})
	}
}

// HandleInactive fails the promises of what was never sent.
func (h *DeflateHandler) HandleInactive(ctx *pipeline.Context) error {
	h.promises.strand(pipeline.ErrClosed)
	ctx.FireInactive()
	return nil
}

// HandleRemoved ends the stream, so that what is written from now on may be something else.
func (h *DeflateHandler) HandleRemoved(ctx *pipeline.Context) error {
	if ctx.Channel().IsOpen() && h.broken == nil {
		h.end(ctx)
	}
	h.promises.strand(pipeline.ErrClosed)
	h.deflater.Reset()
	h.broken, h.dirty = nil, false
	return nil
}

// Flow says that bytes stay bytes.
func (h *DeflateHandler) Flow() pipeline.Flow {
	return pipeline.Flow{Writes: bytesTypes(), Sends: bytesTypes()}
}

// String names the algorithm.
func (h *DeflateHandler) String() string { return "codec.Deflater " + h.deflater.Format.String() }
