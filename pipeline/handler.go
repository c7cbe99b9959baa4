package pipeline

// Handler is any value that implements at least one of the one-method interfaces of this file. What a
// handler can do is looked up once per Go type, when the first value of that type is added.
//
// All handler methods are called on the channel's event loop, one at a time.
type Handler = any

// ReadHandler takes inbound messages. HandleRead owns msg: it passes it on, keeps it or releases it,
// exactly once. A returned error goes to the same handler's HandleError, then onward to the tail.
type ReadHandler interface {
	HandleRead(ctx *Context, msg any) error
}

// ReadCompleteHandler is told that a batch of inbound messages has ended: up to MaxReads socket reads,
// which may have produced no message at all.
type ReadCompleteHandler interface {
	HandleReadComplete(ctx *Context) error
}

// WriteHandler takes outbound messages. HandleWrite owns msg, also when it fails. It takes p and returns
// nil, or returns an error and leaves p untouched. p is nil when nobody wants to know. Handlers that pass
// a message on end with `return ctx.Forward(msg, p)`.
type WriteHandler interface {
	HandleWrite(ctx *Context, msg any, p *Promise) error
}

// FlushHandler sees a flush on its way out. A returned error is an inbound error of this handler.
type FlushHandler interface {
	HandleFlush(ctx *Context) error
}

// CloseHandler sees a close on its way out. Like HandleWrite it takes p and returns nil, or returns an
// error with p untouched; it passes on by `return ctx.ForwardClose(how, p)`.
type CloseHandler interface {
	HandleClose(ctx *Context, how CloseMode, p *Promise) error
}

// ReadRequestHandler sees a request for one more batch of reads on its way out (ctx.Read). It passes on
// by ctx.Read().
type ReadRequestHandler interface {
	HandleReadRequest(ctx *Context) error
}

// ActiveHandler is told once that the channel is connected, after all handlers of Init were added.
type ActiveHandler interface {
	HandleActive(ctx *Context) error
}

// InactiveHandler is told once, as the last event, that the channel is closed: pending promises have
// failed and queued messages are released by then. It never runs inside another callback's stack. After a drained
// close it comes when the peer has closed too, or Options.Linger later.
type InactiveHandler interface {
	HandleInactive(ctx *Context) error
}

// EventHandler takes user events (ctx.FireEvent) and owns them like messages.
type EventHandler interface {
	HandleEvent(ctx *Context, event any) error
}

// ErrorHandler takes inbound errors. It returns nil when the error is dealt with, err itself or a wrap of
// it to send it onward, or any other error, which is logged once and ends there.
type ErrorHandler interface {
	HandleError(ctx *Context, err error) error
}

// WritabilityHandler is told that Channel.Writable has changed: once when more than WriteHigh bytes are
// queued, once when fewer than WriteLow are left. Never after the close has begun.
type WritabilityHandler interface {
	HandleWritability(ctx *Context) error
}

// ReadClosedHandler is told once that the peer has ended its side (FIN). Writes still go out.
type ReadClosedHandler interface {
	HandleReadClosed(ctx *Context) error
}

// AddedHandler runs after the handler was linked and before it sees any event. When it fails the handler
// is removed again and the pipeline's error handlers see an error that wraps the cause.
type AddedHandler interface {
	HandleAdded(ctx *Context) error
}

// RemovedHandler runs exactly once for each handler whose adding was announced, after it was unlinked; no
// other method is called afterwards.
type RemovedHandler interface {
	HandleRemoved(ctx *Context) error
}

// mask holds one bit for each event that a handler implements.
type mask uint16

const (
	maskRead mask = 1 << iota
	maskReadComplete
	maskWrite
	maskFlush
	maskClose
	maskReadRequest
	maskActive
	maskInactive
	maskEvent
	maskError
	maskWritability
	maskReadClosed
	maskAdded
	maskRemoved
	maskAll = 1<<iota - 1
)

// maskOf finds out what a handler implements.
func maskOf(h Handler) mask {
	var m mask
	set := func(ok bool, bit mask) {
		if ok {
			m |= bit
		}
	}
	_, ok := h.(ReadHandler)
	set(ok, maskRead)
	_, ok = h.(ReadCompleteHandler)
	set(ok, maskReadComplete)
	_, ok = h.(WriteHandler)
	set(ok, maskWrite)
	_, ok = h.(FlushHandler)
	set(ok, maskFlush)
	_, ok = h.(CloseHandler)
	set(ok, maskClose)
	_, ok = h.(ReadRequestHandler)
	set(ok, maskReadRequest)
	_, ok = h.(ActiveHandler)
	set(ok, maskActive)
	_, ok = h.(InactiveHandler)
	set(ok, maskInactive)
	_, ok = h.(EventHandler)
	set(ok, maskEvent)
	_, ok = h.(ErrorHandler)
	set(ok, maskError)
	_, ok = h.(WritabilityHandler)
	set(ok, maskWritability)
	_, ok = h.(ReadClosedHandler)
	set(ok, maskReadClosed)
	_, ok = h.(AddedHandler)
	set(ok, maskAdded)
	_, ok = h.(RemovedHandler)
	set(ok, maskRemoved)
	return m
}
