package codec

import (
	"reflect"
	"strings"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Decoder turns bytes into messages of type M, a pointer type. Decode takes what it needs from the front
// of in and returns one message, or ok == false for "not yet". It may also consume bytes without a
// message, and is called again at once then. It keeps its own state between calls, so that no byte is
// looked at twice, and does not keep in: bytes that a message holds are taken by in.ReadSlice. It knows
// nothing of channels and is called from one goroutine at a time.
//
// An error goes to the pipeline. If a handler takes it and the channel stays open, Decode is called
// again, provided that it consumed something: a decoder that can go on consumes the bad part first.
type Decoder[M any] interface {
	Decode(in *buffer.Buffer) (m M, ok bool, err error)
}

// EOFDecoder is implemented by decoders that have something to say when no more bytes will come. in holds
// what Decode left and may be empty. It is called again for as long as it gives messages and consumes.
type EOFDecoder[M any] interface {
	DecodeEOF(in *buffer.Buffer) (m M, ok bool, err error)
}

// DefaultMaxHeld is how many bytes a DecoderHandler holds for a message that is not complete.
const DefaultMaxHeld = 1 << 20

// DecoderHandler runs a Decoder in a pipeline. It joins what arrives in pieces, fires one message after
// the other, and stops between two of them when the channel closes, when the handler is removed (the rest
// of the bytes goes on untouched, to the handler that replaced it), and when the channel stops reading or
// is not writable: then it keeps the rest and goes on when that changes.
type DecoderHandler[M any] struct {
	pipeline.Unshared
	// MaxHeld is the number of bytes that may be held for one message that is not complete, beyond what
	// the decoder has consumed. More is ErrHeldTooMuch. 0 = DefaultMaxHeld. Set it before adding.
	MaxHeld int

	decoder Decoder[M]
	held    *buffer.Buffer   // one reference; not decoded yet
	own     bool             // held was made here and is not a read buffer
	queue   []*buffer.Buffer // arrived while decoding
	running bool
	fired   bool // since the last read complete
	stopped bool // held may have messages that nobody wanted yet
	ended   bool // DecodeEOF was called
}

// NewDecoder makes the handler that runs d.
func NewDecoder[M any](d Decoder[M]) *DecoderHandler[M] { return &DecoderHandler[M]{decoder: d} }

var (
	_ pipeline.ReadHandler         = (*DecoderHandler[any])(nil)
	_ pipeline.ReadCompleteHandler = (*DecoderHandler[any])(nil)
	_ pipeline.ReadClosedHandler   = (*DecoderHandler[any])(nil)
	_ pipeline.InactiveHandler     = (*DecoderHandler[any])(nil)
	_ pipeline.WritabilityHandler  = (*DecoderHandler[any])(nil)
	_ pipeline.ReadRequestHandler  = (*DecoderHandler[any])(nil)
	_ pipeline.RemovedHandler      = (*DecoderHandler[any])(nil)
)

// HandleRead decodes bytes; other messages pass.
func (h *DecoderHandler[M]) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *buffer.Buffer:
		h.take(ctx, m)
	case *buffer.Composite:
		for i := range m.Parts() {
			b, window := m.RetainPart(i)
			piece := ctx.Alloc(len(window))
			piece.Append(window)
			b.Release()
			h.take(ctx, piece)
		}
		m.Release()
	default:
		ctx.FireRead(msg)
	}
	return nil
}

func (h *DecoderHandler[M]) take(ctx *pipeline.Context, b *buffer.Buffer) {
	switch {
	case ctx.Removed():
		ctx.FireRead(b)
	case h.running:
		h.queue = append(h.queue, b) // order: after what is being decoded
	default:
		h.join(ctx, b)
		h.run(ctx)
	}
}

// join puts b behind what is held. b is taken.
func (h *DecoderHandler[M]) join(ctx *pipeline.Context, b *buffer.Buffer) {
	if h.held == nil {
		h.held, h.own = b, false
		return
	}
	if h.held.Room() < b.Len() {
		n := h.held.Len() + b.Len()
		larger := ctx.Alloc(max(n, 2*h.held.Len()))
		larger.Append(h.held.Bytes())
		ctx.Release(h.held)
		h.held, h.own = larger, true
	}
	h.held.Append(b.Bytes())
	ctx.Release(b)
}

// run decodes until nothing more comes out or nobody wants more.
func (h *DecoderHandler[M]) run(ctx *pipeline.Context) {
	h.running = true
	for {
		h.decodeHeld(ctx)
		if h.stopped || ctx.Removed() || len(h.queue) == 0 {
			break
		}
		b := h.queue[0]
		h.queue = append(h.queue[:0], h.queue[1:]...)
		h.join(ctx, b)
	}
	h.running = false
	switch {
	case ctx.Removed():
		h.passRest(ctx)
	case !ctx.Channel().IsOpen():
		h.drop()
	default:
		h.keep(ctx)
	}
}

func (h *DecoderHandler[M]) decodeHeld(ctx *pipeline.Context) {
	ch := ctx.Channel()
	h.stopped = false
	for h.held != nil && h.held.Len() > 0 && ch.IsOpen() && !ctx.Removed() {
		if !ch.Reading() {
			h.stopped = true
			return
		}
		before := h.held.Len()
		m, ok, err := h.decoder.Decode(h.held)
		used := before - h.held.Len()
		switch {
		case err != nil:
			ctx.FireError(err)
		case ok && used == 0:
			buffer.Release(m)
			ctx.FireError(&StuckError{Decoder: h.name()})
		case ok:
			h.fired = true
			ctx.FireRead(m)
		}
		if used == 0 {
			return
		}
	}
}

// keep decides what becomes of bytes that wait for more.
func (h *DecoderHandler[M]) keep(ctx *pipeline.Context) {
	if h.held == nil {
		return
	}
	n := h.held.Len()
	limit := h.MaxHeld
	if limit <= 0 {
		limit = DefaultMaxHeld
	}
	switch {
	case n == 0:
		h.drop()
	case n > limit && !h.stopped:
		h.drop()
		ctx.FireError(&HeldError{Decoder: h.name(), Held: n, Limit: limit})
	case !h.own && n < h.held.Cap()/2:
		// A read buffer would stay pinned by a few bytes.
		small := ctx.Alloc(n)
		small.Append(h.held.Bytes())
		ctx.Release(h.held)
		h.held, h.own = small, true
	}
}

func (h *DecoderHandler[M]) drop() {
	if h.held != nil {
		h.held.Release()
		h.held = nil
	}
	for _, b := range h.queue {
		b.Release()
	}
	h.queue = nil
}

// passRest sends bytes that are not decoded to whoever comes after a removed decoder.
func (h *DecoderHandler[M]) passRest(ctx *pipeline.Context) {
	rest := h.queue
	h.queue = nil
	if b := h.held; b != nil {
		h.held = nil
		if b.Len() > 0 {
			ctx.FireRead(b)
		} else {
			b.Release()
		}
	}
	for _, b := range rest {
		ctx.FireRead(b)
	}
}

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
	served := false
	ctx.Channel().Inject(func(*pipeline.Pipeline) { served = h.resume(ctx) })
	if !served || ctx.Channel().AutoRead() {
		ctx.Read()
	}
	return nil
}

// HandleWritability goes on with what is held when the channel has become writable.
func (h *DecoderHandler[M]) HandleWritability(ctx *pipeline.Context) error {
	ctx.FireWritability()
	h.resume(ctx)
	return nil
}

// resume goes on with what is held, as a batch of its own, and reports whether messages came out.
func (h *DecoderHandler[M]) resume(ctx *pipeline.Context) bool {
	if !h.stopped || h.running || !ctx.Channel().Reading() {
		return false
	}
	h.fired = false
	h.run(ctx)
	fired := h.fired
	if fired {
		h.fired = false
		ctx.FireReadComplete()
	}
	return fired
}

// HandleReadClosed decodes the rest, then passes on.
func (h *DecoderHandler[M]) HandleReadClosed(ctx *pipeline.Context) error {
	h.finish(ctx)
	if h.held != nil && !h.stopped {
		n := h.held.Len()
		h.drop()
		ctx.FireError(&TruncatedError{Decoder: h.name(), Left: n})
	}
	ctx.FireReadClosed()
	return nil
}

// HandleInactive decodes the rest unless HandleReadClosed has, then passes on.
func (h *DecoderHandler[M]) HandleInactive(ctx *pipeline.Context) error {
	h.finish(ctx)
	h.drop()
	ctx.FireInactive()
	return nil
}

// finish gives the decoder its last chance, once.
func (h *DecoderHandler[M]) finish(ctx *pipeline.Context) {
	d, ok := h.decoder.(EOFDecoder[M])
	if h.ended || h.running || !ok {
		return
	}
	h.ended = true
	if h.held == nil {
		h.held = ctx.Alloc(0)
	}
	h.running = true
	for !ctx.Removed() {
		before := h.held.Len()
		m, ok, err := d.DecodeEOF(h.held)
		if err != nil {
			h.held.Skip(h.held.Len())
			ctx.FireError(err)
			break
		}
		if !ok {
			h.held.Skip(h.held.Len())
			break
		}
		h.fired = true
		ctx.FireRead(m)
		if h.held.Len() == before {
			break
		}
	}
	h.running = false
	if ctx.Removed() {
		h.passRest(ctx)
		return
	}
	h.drop()
	if h.fired {
		h.fired = false
		ctx.FireReadComplete()
	}
}

// HandleRemoved sends bytes that are held to the handler behind, or to the replacement.
func (h *DecoderHandler[M]) HandleRemoved(ctx *pipeline.Context) error {
	switch {
	case h.running: // run passes them on when the decoder returns
	case !ctx.Channel().IsOpen():
		h.drop()
	case h.held != nil:
		h.passRest(ctx)
		ctx.FireReadComplete()
	}
	return nil
}

// Flow says that bytes become messages of type M.
func (h *DecoderHandler[M]) Flow() pipeline.Flow {
	return pipeline.Flow{Reads: []reflect.Type{reflect.TypeFor[*buffer.Buffer]()}, Emits: emits[M](h.decoder)}
}

// emits lists what a decoder says it emits (`Emits() []reflect.Type`, for those whose M is an interface),
// or M itself.
func emits[M any](d any) []reflect.Type {
	if e, ok := d.(interface{ Emits() []reflect.Type }); ok {
		return e.Emits()
	}
	return []reflect.Type{reflect.TypeFor[M]()}
}

// String is the decoder's type.
func (h *DecoderHandler[M]) String() string { return h.name() }

func (h *DecoderHandler[M]) name() string { return nameOf(h.decoder) }

// nameOf is a type as one writes it, without the pointer star.
func nameOf(v any) string { return strings.TrimPrefix(reflect.TypeOf(v).String(), "*") }
