package handlers

import (
	"github.com/penstock-go/penstock/pipeline"
)

// FlowControl hands out one message for each read request (ctx.Read) while auto-read is off, however many
// a decoder in front of it makes of one read. Messages wait in it, in order; read complete follows when
// the queue is empty. With auto-read on it passes everything.
type FlowControl struct {
	pipeline.Unshared
	queue      []any
	due        int  // requests that came while messages are being delivered
	wanted     bool // a request found the queue empty
	batch      bool // messages are coming in; their read complete will follow
	delivering bool
}

var (
	_ pipeline.ReadHandler         = (*FlowControl)(nil)
	_ pipeline.ReadCompleteHandler = (*FlowControl)(nil)
	_ pipeline.ReadRequestHandler  = (*FlowControl)(nil)
	_ pipeline.InactiveHandler     = (*FlowControl)(nil)
	_ pipeline.RemovedHandler      = (*FlowControl)(nil)
)

// HandleRead queues msg and delivers it if it is asked for.
func (f *FlowControl) HandleRead(ctx *pipeline.Context, msg any) error {
	f.batch = true
	f.queue = append(f.queue, msg)
	if f.wanted {
		f.wanted = false
		f.due++
	}
	f.deliver(ctx)
	return nil
}

// HandleReadComplete passes on when nothing waits; otherwise it follows the last message.
func (f *FlowControl) HandleReadComplete(ctx *pipeline.Context) error {
	f.batch = false
	if len(f.queue) == 0 {
		ctx.FireReadComplete()
	}
	return nil
}

// HandleReadRequest delivers one message, or passes the request on when none waits.
func (f *FlowControl) HandleReadRequest(ctx *pipeline.Context) error {
	f.due++
	f.deliver(ctx)
	return nil
}

// deliver fires messages: as many as are due, or all while auto-read is on. Requests from inside are served by
// the call that is under way, so that a long queue makes no deep stack. Those that find nothing are one request.
func (f *FlowControl) deliver(ctx *pipeline.Context) {
	if f.delivering {
		return
	}
	f.delivering = true
	fired := false
	for len(f.queue) > 0 && (f.due > 0 || ctx.Channel().AutoRead()) && ctx.Channel().IsOpen() {
		msg := f.queue[0]
		f.queue[0] = nil
		f.queue = f.queue[1:]
		f.due = max(f.due-1, 0)
		fired = true
		ctx.FireRead(msg)
	}
	f.delivering = false
	if len(f.queue) > 0 || ctx.Removed() {
		return
	}
	f.queue = nil
	if fired && !f.batch {
		ctx.FireReadComplete()
	}
	if f.due > 0 {
		f.due, f.wanted = 0, true
		ctx.Read()
	}
}

// HandleInactive releases what waits, then passes on.
func (f *FlowControl) HandleInactive(ctx *pipeline.Context) error {
	f.release(ctx)
	ctx.FireInactive()
	return nil
}

// HandleRemoved passes what waits on while the channel is open, and releases it otherwise.
func (f *FlowControl) HandleRemoved(ctx *pipeline.Context) error {
	rest := f.queue
	f.queue = nil
	for i, msg := range rest {
		if !ctx.Channel().IsOpen() {
			f.queue = rest[i:]
			f.release(ctx)
			return nil
		}
		ctx.FireRead(msg)
	}
	if len(rest) > 0 && !f.batch {
		ctx.FireReadComplete()
	}
	return nil
}

func (f *FlowControl) release(ctx *pipeline.Context) {
	for _, msg := range f.queue {
		ctx.Release(msg)
	}
	f.queue = nil
}
