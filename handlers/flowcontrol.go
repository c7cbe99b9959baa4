package handlers

import (
	"github.com/penstock-go/penstock/pipeline"
)

// FlowControl hands out one message for each read request (ctx.Read) while auto-read is off, however many
// a decoder in front of it makes of one read. Messages wait in it, in order; read complete follows when
// the queue is empty. With auto-read on it passes everything.
type FlowControl struct {
	pipeline.Unshared
	queue  []any
	wanted bool // a request found the queue empty
	batch  bool // messages are coming in; their read complete will follow
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
	one := 0
	if f.wanted {
		f.wanted, one = false, 1
	}
	f.deliver(ctx, one)
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
	if f.deliver(ctx, 1) == 0 {
		f.wanted = true
		ctx.Read()
	}
	return nil
}

// deliver fires messages: as many as are due, or all while auto-read is on.
func (f *FlowControl) deliver(ctx *pipeline.Context, due int) int {
	n := 0
	for len(f.queue) > 0 && (n < due || ctx.Channel().AutoRead()) && ctx.Channel().IsOpen() {
		msg := f.queue[0]
		f.queue[0] = nil
		f.queue = f.queue[1:]
		n++
		ctx.FireRead(msg)
		if ctx.Removed() {
			return n
		}
	}
	if n > 0 && len(f.queue) == 0 {
		f.queue = nil
		if !f.batch {
			ctx.FireReadComplete()
		}
	}
	return n
}

// HandleInactive releases what waits, then passes on.
func (f *FlowControl) HandleInactive(ctx *pipeline.Context) error {
	f.release(ctx)
	ctx.FireInactive()
	return nil
}

// HandleRemoved passes what waits on while the channel is open, and releases it otherwise.
func (f *FlowControl) HandleRemoved(ctx *pipeline.Context) error {
	if !ctx.Channel().IsOpen() {
		f.release(ctx)
		return nil
	}
	rest := f.queue
	f.queue = nil
	for _, msg := range rest {
		ctx.FireRead(msg)
	}
	return nil
}

func (f *FlowControl) release(ctx *pipeline.Context) {
	for _, msg := range f.queue {
		ctx.Release(msg)
	}
	f.queue = nil
}
