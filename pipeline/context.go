package pipeline

import (
	"errors"
	"reflect"
	"time"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Context is a handler's place in one pipeline. Handlers get it with every event and use it to pass the
// event on (Fire…) or to act towards the socket (bare verbs, which start at the previous handler).
//
// A context whose handler was removed forwards everything; one whose handler was replaced forwards into
// the replacement. So a handler may go on using its context until its callback returns.
//
// Call its methods on the event loop only.
type Context struct {
	next, prev *Context // neighbours; of a dead context those at its removal
	nextRead   *Context // next context whose read link does something
	prevWrite  *Context // previous one whose write link does something
	read       ReadHandler
	write      WriteHandler
	handler    Handler
	ch         *Channel
	kind       *kind
	name       *string // nil: made from the type when somebody asks
	mask       mask    // events that are delivered; 0 before HandleAdded and after removal
	announced  bool    // HandleAdded has run or is running
	dead       bool
}

// Channel is the connection that this context belongs to.
func (c *Context) Channel() *Channel { return c.ch }

// Pipeline is the pipeline that this context belongs to.
func (c *Context) Pipeline() *Pipeline { return &c.ch.pipe }

// Loop is the event loop that runs this context's handler.
func (c *Context) Loop() *Loop { return c.ch.loop }

// Handler is the handler at this place, nil after its removal.
func (c *Context) Handler() Handler {
	if c.dead {
		return nil
	}
	return c.handler
}

// Removed reports whether the handler has left the pipeline; decoders stop then.
func (c *Context) Removed() bool { return c.dead }

// Alloc gives an empty buffer with room for n bytes from the loop's own lists. The caller owns it.
func (c *Context) Alloc(n int) *buffer.Buffer { return c.ch.loop.pool.Get(n) }

// Release gives up one reference of msg if it holds pooled bytes. For buffers it is faster than their
// own Release.
func (c *Context) Release(msg any) {
	if b, ok := msg.(*buffer.Buffer); ok {
		c.ch.loop.pool.Put(b)
		return
	}
	buffer.Release(msg)
}

// FireRead passes msg, and one reference of it, to the next handler that reads.
func (c *Context) FireRead(msg any) {
	n := c.nextRead
	if err := n.read.HandleRead(n, msg); err != nil {
		n.fail(err, "read")
	}
}

// Forward passes msg outbound to the previous handler that writes. It takes msg in any case; on error it
// leaves p untouched.
func (c *Context) Forward(msg any, p *Promise) error {
	n := c.prevWrite
	return n.write.HandleWrite(n, msg, p)
}

// Write is Forward without a promise. It takes msg in any case; an error says that msg was refused at once:
// ErrClosed, ErrWriteClosed, ErrOutboundFull, ErrNoEncoder, or what a handler on the way returned. msg is sent
// when the batch ends, or at the next Flush in ManualFlush mode. A write that fails after it was queued is
// not reported singly: the channel closes, with the cause.
func (c *Context) Write(msg any) error {
	if !c.ch.touched {
		c.ch.touch()
	}
	n := c.prevWrite
	return n.write.HandleWrite(n, msg, nil)
}

// WriteWith is Write for originators that want to know: p completes when the last byte of msg reached
// the kernel, or fails. It takes msg and p in any case.
func (c *Context) WriteWith(msg any, p *Promise) {
	c.ch.touch()
	if err := c.Forward(msg, p); err != nil && p != nil {
		p.Fail(err)
	}
}

// nextWith and prevWith skip handlers that do not implement the event.
func (c *Context) nextWith(m mask) *Context {
	n := c.next
	for n.mask&m == 0 {
		n = n.next
	}
	return n
}

func (c *Context) prevWith(m mask) *Context {
	n := c.prev
	for n.mask&m == 0 {
		n = n.prev
	}
	return n
}

// FireReadComplete passes the end of a read batch on.
func (c *Context) FireReadComplete() {
	n := c.nextWith(maskReadComplete)
	if err := n.handler.(ReadCompleteHandler).HandleReadComplete(n); err != nil {
		n.fail(err, "read complete")
	}
}

// FireActive passes "connected" on.
func (c *Context) FireActive() {
	n := c.nextWith(maskActive)
	if err := n.handler.(ActiveHandler).HandleActive(n); err != nil {
		n.fail(err, "active")
	}
}

// FireInactive passes "closed" on.
func (c *Context) FireInactive() {
	n := c.nextWith(maskInactive)
	if cl := c.ch.closing; cl != nil {
		cl.inactiveAt = n
	}
	if err := n.handler.(InactiveHandler).HandleInactive(n); err != nil {
		n.fail(err, "inactive")
	}
}

// FireEvent passes a user event, and one reference of it, on.
func (c *Context) FireEvent(event any) {
	n := c.nextWith(maskEvent)
	if err := n.handler.(EventHandler).HandleEvent(n, event); err != nil {
		n.fail(err, "event")
	}
}

// FireWritability passes a change of Channel.Writable on.
func (c *Context) FireWritability() {
	n := c.nextWith(maskWritability)
	if err := n.handler.(WritabilityHandler).HandleWritability(n); err != nil {
		n.fail(err, "writability")
	}
}

// FireReadClosed passes the peer's FIN on.
func (c *Context) FireReadClosed() {
	n := c.nextWith(maskReadClosed)
	if err := n.handler.(ReadClosedHandler).HandleReadClosed(n); err != nil {
		n.fail(err, "read closed")
	}
}

// FireError raises an inbound error at this handler, for the error handlers behind it; the tail logs it
// once and closes. An error handler that only passes an error on returns it from HandleError instead.
func (c *Context) FireError(err error) {
	c.ch.origin = origin{context: c, event: "error"}
	c.passError(err)
}

func (c *Context) passError(err error) { c.nextWith(maskError).offer(err) }

// fail routes an error that this context's handler returned: to its own HandleError first, then onward.
func (c *Context) fail(err error, event string) {
	c.ch.origin = origin{context: c, event: event}
	if c.mask&maskError != 0 {
		c.offer(err)
		return
	}
	c.passError(err)
}

// offer gives err to this context's HandleError and does what the answer asks for.
func (c *Context) offer(err error) {
	switch answer := c.handler.(ErrorHandler).HandleError(c, err); {
	case answer == nil:
	case passesOn(answer, err):
		c.passError(answer)
	default:
		c.ch.Logger().Error("pipeline: error handler failed", "channel", c.ch.ID(), "handler", c.Name(), "err", answer, "while handling", err)
	}
}

// passesOn reports whether answer is err or wraps it. Errors that Go can't compare, slices among them, are
// known by their type.
func passesOn(answer, err error) bool {
	if errors.Is(answer, err) {
		return true
	}
	t := reflect.TypeOf(err)
	return t != nil && !t.Comparable() && errors.As(answer, reflect.New(t).Interface())
}

// Flush sends what was written before it. In the default mode each batch ends in a flush, so handlers
// call it only to send earlier, or in ManualFlush mode.
func (c *Context) Flush() {
	n := c.prevWith(maskFlush)
	if err := n.handler.(FlushHandler).HandleFlush(n); err != nil {
		n.fail(err, "flush")
	}
}

// Read asks for one more batch of inbound messages; of use after SetAutoRead(false).
func (c *Context) Read() {
	n := c.prevWith(maskReadRequest)
	if err := n.handler.(ReadRequestHandler).HandleReadRequest(n); err != nil {
		n.fail(err, "read request")
	}
}

// Close closes the channel by CloseDrain, starting at the previous handler.
func (c *Context) Close() { c.CloseWith(CloseDrain, nil) }

// CloseWith closes the channel in the given mode. It takes p, which completes when the socket is closed
// (CloseWrite: when the FIN is on its way).
func (c *Context) CloseWith(how CloseMode, p *Promise) {
	if err := c.ForwardClose(how, p); err != nil {
		if p != nil {
			p.Fail(err)
		}
		c.ch.closeNow(err)
	}
}

// ForwardClose passes a close on to the previous handler. On error it leaves p untouched.
func (c *Context) ForwardClose(how CloseMode, p *Promise) error {
	n := c.prevWith(maskClose)
	return n.handler.(CloseHandler).HandleClose(n, how, p)
}

// SetAutoRead turns reading without requests on or off for the channel (on by default). When it is off
// no socket read starts after the running batch, and decoders keep what they have not decoded yet.
func (c *Context) SetAutoRead(on bool) { c.ch.setAutoRead(on) }

// SetReadWhileUnwritable is Options.ReadWhileUnwritable for this channel alone. Off again, the option counts. It is for
// handlers that bound what they queue by themselves and whose peer may wait for us to read before it reads on.
func (c *Context) SetReadWhileUnwritable(on bool) { c.ch.setReadWhileUnwritable(on) }

// NewPromise gives a pending promise of this channel.
func (c *Context) NewPromise() *Promise { return newPromise(c.ch) }

// After runs f on the loop once d has passed, unless the channel is closed by then. The Timer can be
// re-armed without allocating.
func (c *Context) After(d time.Duration, f func()) *Timer { return c.ch.loop.after(c.ch, d, f) }
