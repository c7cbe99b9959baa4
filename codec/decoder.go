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
//
// What else a decoder may implement stands in optional.go.
type Decoder[M any] interface {
	Decode(in *buffer.Buffer) (m M, ok bool, err error)
}

// DefaultMaxHeld is how many bytes a DecoderHandler holds for a message that is not complete.
const DefaultMaxHeld = 1 << 20

// DecoderHandler runs a Decoder in a pipeline. It joins what arrives in pieces, fires one message after
// the other, and stops between two of them when the channel closes, when the handler is removed (the rest
// of the bytes goes on untouched, to the handler that replaced it), and when the channel stops reading or
// is not writable: then it keeps the rest and goes on when that changes. Bytes that arrive while a message
// is being fired are decoded after it, in order.
//
// Its methods are for the event loop only.
type DecoderHandler[M any] struct {
	pipeline.Unshared
	// MaxHeld is the number of bytes that may be held for one message that is not complete, beyond what
	// the decoder has consumed. More is a *HeldError. 0 = DefaultMaxHeld, or what a Bounded decoder asks
	// for when that is more. Set it before adding.
	MaxHeld int

	decoder Decoder[M]
	backlog Backlogged        // the decoder, when it is one
	ctx     *pipeline.Context // of the latest adding
	held    *buffer.Buffer    // one reference; not decoded yet
	own     bool              // held was made here and is not a read buffer
	queue   []*buffer.Buffer  // arrived while decoding
	input   input
	running bool
	fired   bool   // since the last read complete
	stopped bool   // held may have messages that nobody wanted yet
	copied  uint64 // bytes moved by join and keep, for the test of linearity
	lease   lease
}

// input is how far the peer's end has come.
type input uint8

const (
	inputOpen   input = iota
	inputEnding       // the end was seen and waits for messages that are held back
	inputEnded        // the decoder was told
)

// NewDecoder makes the handler that runs d.
func NewDecoder[M any](d Decoder[M]) *DecoderHandler[M] {
	b, _ := d.(Backlogged)
	return &DecoderHandler[M]{decoder: d, backlog: b}
}

var (
	_ pipeline.AddedHandler        = (*DecoderHandler[any])(nil)
	_ pipeline.ReadHandler         = (*DecoderHandler[any])(nil)
	_ pipeline.ReadCompleteHandler = (*DecoderHandler[any])(nil)
	_ pipeline.ReadClosedHandler   = (*DecoderHandler[any])(nil)
	_ pipeline.InactiveHandler     = (*DecoderHandler[any])(nil)
	_ pipeline.WritabilityHandler  = (*DecoderHandler[any])(nil)
	_ pipeline.ReadRequestHandler  = (*DecoderHandler[any])(nil)
	_ pipeline.RemovedHandler      = (*DecoderHandler[any])(nil)
)

// HandleAdded refuses a decoder whose settings make no sense.
func (h *DecoderHandler[M]) HandleAdded(ctx *pipeline.Context) error {
	h.ctx = ctx
	return h.lease.prepare(ctx, h.decoder)
}

// HandleRead decodes bytes; other messages pass.
func (h *DecoderHandler[M]) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *buffer.Buffer:
		if h.running || len(h.queue) > 0 {
			h.queue = append(h.queue, m) // behind what is being decoded and what waits for that
		} else {
			h.join(ctx, m)
		}
		if !h.running {
			h.run(ctx)
		}
	case *buffer.Composite:
		h.takeRope(ctx, m)
	default:
		ctx.FireRead(msg)
	}
	return nil
}

// run decodes until nothing more comes out or nobody wants more.
func (h *DecoderHandler[M]) run(ctx *pipeline.Context) {
	h.running = true
	h.decodeHeld(ctx)
	for len(h.queue) > 0 && !h.stopped && h.wanted(ctx) {
		b := h.queue[0]
		h.queue[0] = nil
		h.queue = h.queue[1:]
		h.join(ctx, b)
		h.decodeHeld(ctx)
	}
	h.running = false
	switch {
	case !ctx.Channel().IsOpen():
		h.drop()
	case ctx.Removed():
		h.fired = false
		h.passRest(ctx)
	default:
		h.keep(ctx)
		if h.input == inputEnding && !h.stopped {
			h.endInput(ctx)
		}
	}
}

// wanted reports whether this handler is still the one to decode.
func (h *DecoderHandler[M]) wanted(ctx *pipeline.Context) bool {
	return ctx.Channel().IsOpen() && !ctx.Removed()
}

// decodeHeld fires the messages in held. The decoder is called right here and not in a function of its own: what handlers
// call lies deep in the stack as it is, and processors predict the way back only so far.
func (h *DecoderHandler[M]) decodeHeld(ctx *pipeline.Context) {
	h.stopped = false
	for h.hasWork() && h.wanted(ctx) {
		if !ctx.Channel().Reading() {
			h.stopped = true
			return
		}
		if h.held == nil {
			h.held, h.own = ctx.Alloc(0), true
		}
		free := h.backlogged()
		before := h.held.Len()
		m, ok, err := h.decoder.Decode(h.held)
		used := before - h.held.Len()
		goOn := used > 0
		switch {
		case err != nil:
			ctx.FireError(err)
		case ok && used == 0 && !free:
			buffer.Release(m)
			ctx.FireError(&StuckError{Decoder: h.name()})
		case ok:
			h.fired, goOn = true, true
			ctx.FireRead(m)
		}
		if !goOn {
			h.stopped = h.hasWork() && !ctx.Channel().Reading() // it waits for something other than bytes
			return
		}
	}
}

func (h *DecoderHandler[M]) hasWork() bool {
	return h.held != nil && h.held.Len() > 0 || h.backlogged()
}

func (h *DecoderHandler[M]) backlogged() bool { return h.backlog != nil && h.backlog.Backlog() }

// Flow says that bytes become messages of type M.
func (h *DecoderHandler[M]) Flow() pipeline.Flow {
	return pipeline.Flow{Reads: bytesTypes(), Emits: emits[M](h.decoder)}
}

// bytesTypes are the types that bytes travel as.
func bytesTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*buffer.Buffer](), reflect.TypeFor[*buffer.Composite]()}
}

// emits is what a decoder says it emits, or M itself.
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
