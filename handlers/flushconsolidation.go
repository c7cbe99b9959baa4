package handlers

import "github.com/penstock-go/penstock/pipeline"

// FlushConsolidation makes one flush of many in ManualFlush mode: flushes inside a read batch wait for
// its end, or until there are After of them. Outside a batch a flush goes through at once. Whatever ends
// the batch early (an error, a close, becoming unwritable) flushes first.
type FlushConsolidation struct {
	pipeline.Unshared
	// After is the number of flushes in one batch that makes one go through. 0 = 256.
	After int

	pending int
	reading bool
}

// DefaultFlushAfter is FlushConsolidation.After when that is 0.
const DefaultFlushAfter = 256

var (
	_ pipeline.ReadHandler         = (*FlushConsolidation)(nil)
	_ pipeline.ReadCompleteHandler = (*FlushConsolidation)(nil)
	_ pipeline.FlushHandler        = (*FlushConsolidation)(nil)
	_ pipeline.CloseHandler        = (*FlushConsolidation)(nil)
	_ pipeline.ErrorHandler        = (*FlushConsolidation)(nil)
	_ pipeline.WritabilityHandler  = (*FlushConsolidation)(nil)
	_ pipeline.RemovedHandler      = (*FlushConsolidation)(nil)
)

// HandleRead notices that a batch runs.
func (f *FlushConsolidation) HandleRead(ctx *pipeline.Context, msg any) error {
	f.reading = true
	ctx.FireRead(msg)
	return nil
}

// HandleReadComplete sends what was held back.
func (f *FlushConsolidation) HandleReadComplete(ctx *pipeline.Context) error {
	f.reading = false
	f.flush(ctx)
	ctx.FireReadComplete()
	return nil
}

// HandleFlush counts inside a batch and passes on outside.
func (f *FlushConsolidation) HandleFlush(ctx *pipeline.Context) error {
	f.pending++
	limit := f.After
	if limit <= 0 {
		limit = DefaultFlushAfter
	}
	if !f.reading || f.pending >= limit {
		f.flush(ctx)
	}
	return nil
}

func (f *FlushConsolidation) flush(ctx *pipeline.Context) {
	if f.pending > 0 {
		f.pending = 0
		ctx.Flush()
	}
}

// HandleClose flushes, then passes on.
func (f *FlushConsolidation) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	f.reading = false
	f.flush(ctx)
	return ctx.ForwardClose(how, p)
}

// HandleError flushes, then passes on: nobody knows whether the batch will be completed.
func (f *FlushConsolidation) HandleError(ctx *pipeline.Context, err error) error {
	f.reading = false
	f.flush(ctx)
	return err
}

// HandleWritability flushes when the queue is full, then passes on.
func (f *FlushConsolidation) HandleWritability(ctx *pipeline.Context) error {
	if !ctx.Channel().Writable() {
		f.flush(ctx)
	}
	ctx.FireWritability()
	return nil
}

// HandleRemoved sends what was held back.
func (f *FlushConsolidation) HandleRemoved(ctx *pipeline.Context) error {
	f.flush(ctx)
	return nil
}
