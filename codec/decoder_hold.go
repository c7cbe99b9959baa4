package codec

import (
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// This file is about the bytes that a DecoderHandler holds between two reads.

// smallest is the size below which held memory is not worth moving.
const smallest = 512

// takeRope decodes the parts of m one after the other. They are queued first, so that what arrives while the first is
// decoded comes behind the last. It owns m.
func (h *DecoderHandler[M]) takeRope(ctx *pipeline.Context, m *buffer.Composite) {
	parts := buffer.NewComposite()
	parts.AppendComposite(m) // others may hold m
	parts.MoveTo(func(b *buffer.Buffer, window []byte) {
		if !same(b.Bytes(), window) {
			piece := ctx.Alloc(len(window))
			piece.Append(window)
			b.Release()
			b = piece
		}
		h.queue = append(h.queue, b)
	})
	parts.Release()
	if !h.running {
		h.run(ctx)
	}
}

// same reports whether a and b are the same bytes in memory.
func same(a, b []byte) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// join puts b behind what is held. It owns b.
func (h *DecoderHandler[M]) join(ctx *pipeline.Context, b *buffer.Buffer) {
	if h.held != nil && h.held.Len() == 0 {
		ctx.Release(h.held)
		h.held = nil
	}
	if h.held == nil {
		h.held, h.own = unshared(b), false
		return
	}
	if h.held.Room() < b.Len() {
		h.move(ctx, max(h.held.Len()+b.Len(), 2*h.held.Len()))
	}
	h.held.Append(b.Bytes())
	h.copied += uint64(b.Len())
	ctx.Release(b)
}

// unshared is b, or a view of it with a read position of its own when somebody else holds b, too. It takes b.
func unshared(b *buffer.Buffer) *buffer.Buffer {
	if b.Unique() {
		return b
	}
	s := b.Slice(0, b.Len())
	defer s.Release()
	b.Release()
	return s.Buffer()
}

// move puts what is held into memory of n bytes.
func (h *DecoderHandler[M]) move(ctx *pipeline.Context, n int) {
	b := ctx.Alloc(n)
	b.Append(h.held.Bytes())
	h.copied += uint64(b.Len())
	ctx.Release(h.held)
	h.held, h.own = b, true
}

// keep decides what becomes of bytes that wait for more.
func (h *DecoderHandler[M]) keep(ctx *pipeline.Context) {
	if h.held == nil {
		return
	}
	n, size := h.held.Len(), h.held.Cap()
	if n == 0 {
		ctx.Release(h.held)
		h.held = nil
		return
	}
	switch limit := h.limit(); {
	case n > limit && !h.stopped:
		h.drop()
		ctx.FireError(&HeldError{Decoder: h.name(), Held: n, Limit: limit})
	case !h.own && n < size/2, h.own && size > smallest && n < size/4:
		h.move(ctx, n) // a few bytes would pin a large buffer
	}
}

func (h *DecoderHandler[M]) limit() int {
	if h.MaxHeld > 0 {
		return h.MaxHeld
	}
	if b, ok := h.decoder.(Bounded); ok {
		return max(b.MaxHeld(), DefaultMaxHeld)
	}
	return DefaultMaxHeld
}

// drop forgets everything that is not decoded.
func (h *DecoderHandler[M]) drop() {
	if h.held != nil {
		h.held.Release()
		h.held = nil
	}
	for _, b := range h.queue {
		b.Release()
	}
	h.queue, h.stopped = nil, false
}

// passRest sends what is not decoded, and an end that waited behind it, to whoever comes after a removed decoder. It
// is one message, since what it causes to arrive must come behind all of it. passRest reports whether there was any.
func (h *DecoderHandler[M]) passRest(ctx *pipeline.Context) bool {
	for _, b := range h.queue {
		h.join(ctx, b)
	}
	rest := h.held
	h.held, h.queue = nil, nil
	ending := h.input == inputEnding
	h.input, h.stopped = inputOpen, false
	some := rest != nil && rest.Len() > 0
	if some {
		ctx.FireRead(rest)
	} else if rest != nil {
		ctx.Release(rest)
	}
	if ending {
		ctx.FireReadClosed()
	}
	return some
}
