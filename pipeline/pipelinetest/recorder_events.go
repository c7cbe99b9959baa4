package pipelinetest

import "github.com/penstock-go/penstock/pipeline"

// This file is the handler's side of Recorder: every event is noted and passed on.

var (
	_ pipeline.AddedHandler        = (*Recorder)(nil)
	_ pipeline.RemovedHandler      = (*Recorder)(nil)
	_ pipeline.ActiveHandler       = (*Recorder)(nil)
	_ pipeline.InactiveHandler     = (*Recorder)(nil)
	_ pipeline.ReadHandler         = (*Recorder)(nil)
	_ pipeline.ReadCompleteHandler = (*Recorder)(nil)
	_ pipeline.ReadClosedHandler   = (*Recorder)(nil)
	_ pipeline.ReadRequestHandler  = (*Recorder)(nil)
	_ pipeline.WriteHandler        = (*Recorder)(nil)
	_ pipeline.FlushHandler        = (*Recorder)(nil)
	_ pipeline.CloseHandler        = (*Recorder)(nil)
	_ pipeline.EventHandler        = (*Recorder)(nil)
	_ pipeline.ErrorHandler        = (*Recorder)(nil)
	_ pipeline.WritabilityHandler  = (*Recorder)(nil)
)

// HandleAdded notes "added".
func (r *Recorder) HandleAdded(*pipeline.Context) error {
	r.note("added")
	return nil
}

// HandleRemoved notes "removed".
func (r *Recorder) HandleRemoved(*pipeline.Context) error {
	r.note("removed")
	return nil
}

// HandleActive notes "active".
func (r *Recorder) HandleActive(ctx *pipeline.Context) error {
	r.note("active")
	ctx.FireActive()
	return nil
}

// HandleInactive notes "inactive".
func (r *Recorder) HandleInactive(ctx *pipeline.Context) error {
	r.note("inactive")
	ctx.FireInactive()
	return nil
}

// HandleRead notes "read".
func (r *Recorder) HandleRead(ctx *pipeline.Context, msg any) error {
	r.note("read")
	ctx.FireRead(msg)
	return nil
}

// HandleReadComplete notes "read complete".
func (r *Recorder) HandleReadComplete(ctx *pipeline.Context) error {
	r.note("read complete")
	ctx.FireReadComplete()
	return nil
}

// HandleReadClosed notes "read closed".
func (r *Recorder) HandleReadClosed(ctx *pipeline.Context) error {
	r.note("read closed")
	ctx.FireReadClosed()
	return nil
}

// HandleReadRequest notes "read request".
func (r *Recorder) HandleReadRequest(ctx *pipeline.Context) error {
	r.note("read request")
	ctx.Read()
	return nil
}

// HandleWrite notes "write".
func (r *Recorder) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	r.note("write")
	return ctx.Forward(msg, p)
}

// HandleFlush notes "flush".
func (r *Recorder) HandleFlush(ctx *pipeline.Context) error {
	r.note("flush")
	ctx.Flush()
	return nil
}

// HandleClose notes "close" and the mode.
func (r *Recorder) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	r.note("close " + how.String())
	return ctx.ForwardClose(how, p)
}

// HandleEvent notes "event" and keeps the event in UserEvents.
func (r *Recorder) HandleEvent(ctx *pipeline.Context, event any) error {
	r.note("event")
	r.UserEvents = append(r.UserEvents, event)
	ctx.FireEvent(event)
	return nil
}

// HandleError notes "error" and keeps the error in Errors.
func (r *Recorder) HandleError(_ *pipeline.Context, err error) error {
	r.note("error")
	r.Errors = append(r.Errors, err)
	return err
}

// HandleWritability notes "writable" or "unwritable".
func (r *Recorder) HandleWritability(ctx *pipeline.Context) error {
	if ctx.Channel().Writable() {
		r.note("writable")
	} else {
		r.note("unwritable")
	}
	ctx.FireWritability()
	return nil
}
