package codec

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// ErrTransferStalled is what a Chunks fails with that had nothing to send for CloseWait while the channel waited to
// close.
var ErrTransferStalled = errors.New("codec: transfer has nothing to send and the channel closes")

// ErrWriterRemoved is what a Chunks fails with whose ChunkedWriter left the pipeline.
var ErrWriterRemoved = errors.New("codec: chunked writer removed")

// DefaultCloseWait is how long a ChunkedWriter keeps a close waiting for a transfer that has nothing to send.
const DefaultCloseWait = 15 * time.Second

// ChunkedWriter sends *Chunks: it pulls their pieces while the channel is writable and something was flushed, so that a
// large body takes no more memory than the high watermark and one piece. What is written behind a Chunks waits for
// it, under the channel's hard cap. A Chunks that has nothing now stops the queue until ResumeTransfer.
//
// CloseDrain and CloseWrite wait until the queue is sent; with CloseNow, CloseReset and a broken socket it fails.
// A transfer that fails in the middle leaves the peer with a part of it: who started it knows by its promise, and
// closes the channel if the protocol can't go on.
//
// Its methods are for the event loop only, but for ResumeTransfer. The zero value is ready.
type ChunkedWriter struct {
	pipeline.Unshared
	// CloseWait is how long a close waits for a Chunks that has nothing to send. 0 = DefaultCloseWait.
	CloseWait time.Duration

	ch        atomic.Pointer[pipeline.Channel]
	resuming  atomic.Bool // a resume is posted
	resume    func()      // w.resumed, bound once
	ctx       *pipeline.Context
	queue     []*transfer
	flushed   int // entries at the front that may be sent
	waiting   int // bytes of plain messages in the queue
	pumping   bool
	suspended bool // the Chunks at the front has nothing now
	yielded   bool // others have their turn until a posted resume
	closes    []heldClose
	wait      *pipeline.Timer
}

// heldClose is a close that waits for the queue.
type heldClose struct {
	how pipeline.CloseMode
	p   *pipeline.Promise
}

var (
	_ pipeline.AddedHandler       = (*ChunkedWriter)(nil)
	_ pipeline.WriteHandler       = (*ChunkedWriter)(nil)
	_ pipeline.FlushHandler       = (*ChunkedWriter)(nil)
	_ pipeline.WritabilityHandler = (*ChunkedWriter)(nil)
	_ pipeline.CloseHandler       = (*ChunkedWriter)(nil)
	_ pipeline.InactiveHandler    = (*ChunkedWriter)(nil)
	_ pipeline.RemovedHandler     = (*ChunkedWriter)(nil)
)

// HandleAdded remembers where ResumeTransfer goes.
func (w *ChunkedWriter) HandleAdded(ctx *pipeline.Context) error {
	w.ctx, w.resume = ctx, w.resumed
	w.pumping, w.wait = false, nil
	w.resuming.Store(false)
	w.ch.Store(ctx.Channel())
	return nil
}

// HandleWrite queues a *Chunks and what comes behind one; the rest passes.
func (w *ChunkedWriter) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	c, ok := msg.(*Chunks)
	if len(w.closes) > 0 {
		buffer.Release(msg)
		return w.closedError()
	}
	if ok {
		t := &transfer{chunk: c, p: p}
		t.done = t.pieceDone
		w.queue = append(w.queue, t)
		return nil
	}
	if len(w.queue) == 0 {
		return ctx.Forward(msg, p)
	}
	n := sizeOf(msg)
	if limit := ctx.Channel().Options().HardCap; w.waiting+n > limit {
		buffer.Release(msg)
		return fmt.Errorf("codec: %d bytes wait behind a transfer, %d more would pass the cap of %d: %w",
			w.waiting, n, limit, pipeline.ErrOutboundFull)
	}
	w.waiting += n
	w.queue = append(w.queue, &transfer{msg: msg, size: n, p: p})
	return nil
}

// closedError is what a write behind a close that waits fails with.
func (w *ChunkedWriter) closedError() error {
	for _, c := range w.closes {
		if c.how == pipeline.CloseDrain {
			return pipeline.ErrClosed
		}
	}
	return pipeline.ErrWriteClosed
}

// HandleFlush sends what was written before it, as far as the channel is writable.
func (w *ChunkedWriter) HandleFlush(ctx *pipeline.Context) error {
	w.flushed = len(w.queue)
	w.pump(ctx)
	ctx.Flush()
	return nil
}

// HandleWritability goes on when the channel has become writable.
func (w *ChunkedWriter) HandleWritability(ctx *pipeline.Context) error {
	if w.pump(ctx) {
		ctx.Flush()
	}
	ctx.FireWritability()
	return nil
}

// ResumeTransfer goes on with a Chunks that had nothing, once it has. Calls that come before the loop got
// around to the last one cost nothing more. Safe for concurrent use.
func (w *ChunkedWriter) ResumeTransfer() {
	ch := w.ch.Load()
	if ch == nil || w.resuming.Swap(true) {
		return
	}
	if ch.Post(w.resume) != nil {
		w.resuming.Store(false) // the loop has ended, and the queue with it
	}
}

func (w *ChunkedWriter) resumed() {
	w.resuming.Store(false)
	w.suspended, w.yielded = false, false
	if w.pump(w.ctx) {
		w.ctx.Flush()
	}
}

// HandleClose lets the queue be sent before a drained close or a half-close, and drops it before the others.
func (w *ChunkedWriter) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	if how == pipeline.CloseNow || how == pipeline.CloseReset {
		w.failAll(pipeline.ErrClosed)
		w.forwardCloses(ctx)
		return ctx.ForwardClose(how, p)
	}
	if len(w.queue) == 0 {
		return ctx.ForwardClose(how, p)
	}
	w.closes = append(w.closes, heldClose{how, p})
	if how == pipeline.CloseDrain {
		ctx.SetAutoRead(false) // what comes in after a close is not wanted
	}
	return w.HandleFlush(ctx)
}

// HandleInactive fails what was not sent.
func (w *ChunkedWriter) HandleInactive(ctx *pipeline.Context) error {
	err := error(pipeline.ErrClosed)
	if cause := ctx.Channel().Cause(); cause != nil {
		err = fmt.Errorf("%w: %w", pipeline.ErrClosed, cause)
	}
	w.failAll(err)
	w.forwardCloses(ctx)
	ctx.FireInactive()
	return nil
}

// HandleRemoved fails what was not sent, and lets closes go that waited for it.
func (w *ChunkedWriter) HandleRemoved(ctx *pipeline.Context) error {
	w.ch.Store(nil)
	w.failAll(ErrWriterRemoved)
	w.forwardCloses(ctx)
	return nil
}

// Flow says what the handler takes.
func (w *ChunkedWriter) Flow() pipeline.Flow {
	return pipeline.Flow{Writes: []reflect.Type{reflect.TypeFor[*Chunks]()}}
}

// String is the handler's type.
func (w *ChunkedWriter) String() string { return nameOf(w) }
