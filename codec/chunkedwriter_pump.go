package codec

import (
	"io"

	"github.com/penstock-go/penstock/pipeline"
)

// maxPieces is how many pieces are sent before the other channels of the loop get their turn.
const maxPieces = 256

// pump sends from the front of the queue while the channel takes more. It reports whether anything is on its way.
func (w *ChunkedWriter) pump(ctx *pipeline.Context) (sent bool) {
	if w.pumping {
		return false
	}
	w.pumping = true
	for n := 0; w.flushed > 0 && !w.suspended && !w.yielded && ctx.Channel().Writable(); n++ {
		if n == maxPieces {
			w.yielded = true
			w.ResumeTransfer()
			break
		}
		sent = w.sendOne(ctx) || sent
	}
	w.pumping = false
	if sent {
		w.wait.Stop()
	}
	switch {
	case len(w.closes) == 0:
	case len(w.queue) == 0:
		w.forwardCloses(ctx)
	case w.suspended:
		w.armWait(ctx)
	}
	return sent
}

// sendOne sends a plain message, or asks a Chunks for one piece.
func (w *ChunkedWriter) sendOne(ctx *pipeline.Context) (sent bool) {
	t := w.queue[0]
	if t.plain() {
		w.pop()
		if err := ctx.Forward(t.msg, t.p); err != nil && t.p != nil {
			t.p.Fail(err)
		}
		return true
	}
	if t.ended { // a piece of it was refused or failed
		w.pop()
		return false
	}
	msg, err := t.chunk.next(ctx)
	switch {
	case err == io.EOF: //nolint:errorlint // as io.Reader has it: a wrapped io.EOF is a failure
		w.pop()
		if !t.started { // an empty piece keeps the promise in its place
			t.ended = true
			t.send(ctx, ctx.Alloc(0))
			return true
		}
		t.end()
	case err != nil:
		w.pop()
		t.fail(err)
	case msg == nil:
		w.suspended = true
	default:
		t.send(ctx, msg)
		return true
	}
	return false
}

// pop takes the first entry off the queue.
func (w *ChunkedWriter) pop() {
	w.waiting -= w.queue[0].size
	w.queue[0] = nil
	w.queue = w.queue[1:]
	w.flushed--
	if len(w.queue) == 0 {
		w.queue = nil
	}
}

// failAll fails the whole queue, in order.
func (w *ChunkedWriter) failAll(err error) {
	queue := w.queue
	w.queue, w.flushed, w.waiting, w.suspended, w.yielded = nil, 0, 0, false, false
	for _, t := range queue {
		t.drop(err)
	}
}

// forwardCloses passes on the closes that waited.
func (w *ChunkedWriter) forwardCloses(ctx *pipeline.Context) {
	w.wait.Stop()
	closes := w.closes
	w.closes = nil
	for _, c := range closes {
		ctx.CloseWith(c.how, c.p)
	}
}

// armWait bounds the time for which a close waits for a Chunks that has nothing.
func (w *ChunkedWriter) armWait(ctx *pipeline.Context) {
	d := w.CloseWait
	if d <= 0 {
		d = DefaultCloseWait
	}
	if w.wait == nil {
		w.wait = ctx.After(d, w.waited)
	} else if !w.wait.Armed() {
		w.wait.Reset(d)
	}
}

func (w *ChunkedWriter) waited() {
	w.failAll(ErrTransferStalled)
	w.forwardCloses(w.ctx)
}
