package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"net"
)

// head is the socket's end of each pipeline: outbound operations end here.
type head struct{}

// HandleWrite queues bytes for the socket.
func (head) HandleWrite(ctx *Context, msg any, p *Promise) error { return ctx.ch.enqueue(msg, p) }

// HandleFlush sends what is queued.
func (head) HandleFlush(ctx *Context) error {
	ctx.ch.flush()
	return nil
}

// HandleClose closes the socket.
func (head) HandleClose(ctx *Context, how CloseMode, p *Promise) error {
	ctx.ch.close(how, p)
	return nil
}

// HandleReadRequest lets one more batch be read.
func (head) HandleReadRequest(ctx *Context) error {
	ctx.ch.requestRead()
	return nil
}

// tail is the application's end of each pipeline: what no handler took ends here.
type tail struct{}

// HandleRead releases a message that nobody read, counts it, and says so once per type.
func (tail) HandleRead(ctx *Context, msg any) error {
	ch := ctx.ch
	if ch.sink != nil && ch.sink.Unread(msg) {
		return nil
	}
	ch.loop.stats.unread.Add(1)
	if ch.Logger().Enabled(context.Background(), slog.LevelDebug) && ch.loop.firstUnread(msg) {
		ch.Logger().Debug("pipeline: message reached the tail unread", "channel", ch.ID(),
			"type", messageName(msg), "handlers", ch.pipe.Names())
	}
	ctx.Release(msg)
	return nil
}

// HandleEvent releases an event that nobody took.
func (tail) HandleEvent(ctx *Context, event any) error {
	if ch := ctx.ch; ch.sink == nil || !ch.sink.Untaken(event) {
		ctx.Release(event)
	}
	return nil
}

// HandleError logs an error that nobody handled, once per channel, and closes the channel.
func (tail) HandleError(ctx *Context, err error) error {
	ch := ctx.ch
	if (ch.state >= stateClosing || ch.out.failed) && errors.Is(err, net.ErrClosed) {
		return nil
	}
	if ch.sink == nil || !ch.sink.Uncaught(err) {
		ch.logOnce("pipeline: unhandled error", err)
	}
	if ch.cause == nil {
		ch.cause = err
	}
	if ch.state < stateClosed {
		ch.pipe.Close(CloseDrain, nil)
	}
	return nil
}

// The other inbound events simply end at the tail.

// HandleReadComplete does nothing.
func (tail) HandleReadComplete(*Context) error { return nil }

// HandleActive does nothing.
func (tail) HandleActive(*Context) error { return nil }

// HandleInactive does nothing.
func (tail) HandleInactive(*Context) error { return nil }

// HandleWritability does nothing.
func (tail) HandleWritability(*Context) error { return nil }

// HandleReadClosed does nothing.
func (tail) HandleReadClosed(*Context) error { return nil }

// sentinels links head and tail of a new channel's empty pipeline.
func (p *Pipeline) sentinels(ch *Channel) {
	p.head = Context{ch: ch, handler: head{}, kind: headKind, read: passOn, write: head{}, mask: maskAll, next: &p.tail}
	p.tail = Context{ch: ch, handler: tail{}, kind: tailKind, read: tail{}, write: passOn, mask: maskAll, prev: &p.head}
	p.head.nextRead, p.tail.prevWrite = &p.tail, &p.head
}

var (
	headKind = &kind{name: "head", mask: maskAll}
	tailKind = &kind{name: "tail", mask: maskAll}
)
