package codec

import (
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// transfer is one entry of a ChunkedWriter's queue: a message that waits behind a Chunks, or a Chunks.
type transfer struct {
	msg   any // plain message; nil for chunks
	size  int // its bytes
	p     *pipeline.Promise
	chunk *Chunks // nil for a plain message

	// Of a Chunks:

	done    func(error) // t.pieceDone, bound once
	started bool        // gave a piece
	ended   bool        // gives no more
	pieces  []int       // bytes of those on their way, oldest first, from first on
	first   int
	sent    int64 // bytes that reached the kernel
	err     error // why it failed
}

// sizeOf is the number of bytes of an outbound message, as far as one can tell.
func sizeOf(msg any) int {
	switch m := msg.(type) {
	case *buffer.Buffer:
		return m.Len()
	case *buffer.Composite:
		return m.Len()
	case interface{ Len() int }:
		return m.Len()
	}
	return 0
}

// send forwards a piece under a promise of its own, so that the end of the transfer and its progress are known.
func (t *transfer) send(ctx *pipeline.Context, msg any) {
	t.started = true
	t.pieces = append(t.pieces, sizeOf(msg))
	p := ctx.NewPromise()
	p.OnDone(t.done)
	if err := ctx.Forward(msg, p); err != nil {
		p.Fail(err)
	}
}

// pieceDone hears how the oldest piece ended. Promises complete in write order.
func (t *transfer) pieceDone(err error) {
	n := t.pieces[t.first]
	t.first++
	if t.first > len(t.pieces)/2 {
		t.pieces = t.pieces[:copy(t.pieces, t.pieces[t.first:])]
		t.first = 0
	}
	if err != nil {
		t.fail(err)
		return
	}
	t.sent += int64(n)
	if t.chunk.Progress != nil && t.err == nil {
		t.chunk.Progress(t.sent)
	}
	t.settle()
}

// plain reports whether t is a message that waits behind a Chunks.
func (t *transfer) plain() bool { return t.done == nil }

// end says that no more pieces come.
func (t *transfer) end() {
	t.ended = true
	t.settle()
}

// fail ends the transfer with its first error. Pieces that are on their way use the input, so that it is closed
// and the promise fails when the last of them has left or failed.
func (t *transfer) fail(err error) {
	if t.err == nil {
		t.err = err
	}
	t.end()
}

// settle completes the transfer when nothing of it is left, once.
func (t *transfer) settle() {
	if !t.ended || len(t.pieces) > t.first || t.chunk == nil {
		return
	}
	c, p := t.chunk, t.p
	t.chunk, t.p = nil, nil
	err := c.closeInput()
	if t.err != nil {
		err = t.err
	}
	c.Release()
	switch {
	case p == nil:
	case err != nil:
		p.Fail(err)
	default:
		p.Succeed()
	}
}

// drop fails an entry that is not going to be sent.
func (t *transfer) drop(err error) {
	if !t.plain() {
		t.fail(err)
		return
	}
	buffer.Release(t.msg)
	if t.p != nil {
		t.p.Fail(err)
	}
}
