package pipeline

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Channel is one connection: a pipeline of handlers over a transport, run by one event loop.
//
// Send, Write, Post, Close, CloseWith and the accessors that say so are safe for concurrent use.
// Everything else is for the event loop.
type Channel struct {
	pipe   Pipeline
	loop   *Loop
	tr     Transport
	opts   *Options
	sink   Sink
	number uint64
	out    outbound
	in     inbound
	state  state
	origin origin
	cause  error // why the channel closed or closes

	closing     *closing // present once a close has begun
	attributes  []attribute
	groups      []*Group
	posted      atomic.Int32 // entries of this channel in the loop's queue
	postedBytes atomic.Int64
	over        atomic.Bool // torn down, for other goroutines
	opened      bool        // Open has begun
	active      bool        // handlers were told so
	touched     bool        // on the loop's list for the end of the batch
	errorLogged bool
}

// state only ever grows.
type state uint8

const (
	stateOpening state = iota
	stateActive
	stateClosing // a drained close is on its way
	stateClosed  // the socket is closed, Inactive is due
	stateTorn    // handlers are gone
)

// origin remembers which handler raised the error that is travelling.
type origin struct {
	context *Context
	event   string
}

// ChannelConfig is what a transport gives to a new channel.
type ChannelConfig struct {
	// Transport is the socket.
	Transport Transport
	// Options are the settings, as WithDefaults made them. The channel keeps the pointer.
	Options *Options
	// Sink gets what would be dropped. nil = it is dropped.
	Sink Sink
	// Group is joined when Open begins. nil = none.
	Group *Group
}

var lastID atomic.Uint64

// NewChannel makes a channel on l. The transport then calls Open on the loop.
func NewChannel(l *Loop, cfg ChannelConfig) *Channel {
	c := &Channel{loop: l, tr: cfg.Transport, opts: cfg.Options, sink: cfg.Sink}
	if c.opts == nil {
		o := Options{}.WithDefaults()
		c.opts = &o
	}
	c.number = lastID.Add(1)
	c.in.auto = true
	c.in.guess = firstGuess
	c.pipe.sentinels(c)
	if cfg.Group != nil {
		c.groups = []*Group{cfg.Group}
	}
	return c
}

// Open runs init, which fills the pipeline, then tells the handlers that the channel is active and
// starts reading. When init fails the error is reported once, no handler sees Active, and the channel
// closes. The transport calls it once, on the event loop.
func (c *Channel) Open(init func(*Channel) error) {
	c.loop.batch(c, func(c *Channel) { c.open(init) })
}

func (c *Channel) open(init func(*Channel) error) {
	if c.state != stateOpening || c.opened {
		return
	}
	c.opened = true
	for _, g := range c.groups {
		g.insert(c) // others see it from here on, and what they post comes after init
	}
	if init != nil {
		if err := init(c); err != nil {
			c.origin = origin{event: "init"}
			if c.sink == nil || !c.sink.Uncaught(err) {
				c.logOnce("pipeline: channel set-up failed", err)
			}
			c.closeNow(err)
			return
		}
	}
	if c.state != stateOpening {
		return // closed by a handler's HandleAdded
	}
	c.state, c.active = stateActive, true
	c.pipe.head.FireActive()
	c.touch()
}

// Pipeline is the list of handlers. Its methods are for the event loop only.
func (c *Channel) Pipeline() *Pipeline { return &c.pipe }

// Loop is the event loop that runs this channel. Safe for concurrent use.
func (c *Channel) Loop() *Loop { return c.loop }

// ID is short and unique in the process. Safe for concurrent use.
func (c *Channel) ID() string { return strconv.FormatUint(c.number, 36) }

// Options are the channel's settings; do not change them. Safe for concurrent use.
func (c *Channel) Options() *Options { return c.opts }

// Transport is the socket under the channel, for what only this kind of socket can do (a file sender, a
// TLS state). Call its methods on the event loop only.
func (c *Channel) Transport() Transport { return c.tr }

// LocalAddr is our end's address, nil when the transport knows none. Safe for concurrent use.
func (c *Channel) LocalAddr() net.Addr {
	if a, ok := c.tr.(Addresser); ok {
		return a.LocalAddr()
	}
	return nil
}

// RemoteAddr is the peer's address, nil when the transport knows none. Safe for concurrent use.
func (c *Channel) RemoteAddr() net.Addr {
	if a, ok := c.tr.(Addresser); ok {
		return a.RemoteAddr()
	}
	return nil
}

// IsOpen reports that no close has begun. Decoders and producers stop when it is false. Call it on the
// event loop only.
func (c *Channel) IsOpen() bool { return c.state <= stateActive }

// Closed reports that the channel is gone and its handlers are removed. Safe for concurrent use.
func (c *Channel) Closed() bool { return c.over.Load() }

// Cause is why the channel closed or is closing: nil for an ordinary close by us or the peer. Call it on
// the event loop only.
func (c *Channel) Cause() error { return c.cause }

// NewPromise gives a pending promise for Send. Safe for concurrent use; add listeners before you send.
func (c *Channel) NewPromise() *Promise { return newPromise(c) }

// nominalSize is what a message that is not bytes counts for while it waits in the loop's queue.
const nominalSize = 512

// Send writes msg through the whole pipeline, from the tail, and does not wait. It takes msg. An error says that msg
// was refused at once, with p untouched: ErrOutboundFull when too much of this channel waits for the loop,
// ErrLoopClosed when the loop has ended. Otherwise p completes on the loop; without p (nil) a write that is
// refused there is an error of the channel. Messages of one goroutine keep their order. Safe for concurrent use.
func (c *Channel) Send(msg any, p *Promise) error {
	n := nominalSize
	switch m := msg.(type) {
	case *buffer.Buffer:
		n = m.Len()
	case *buffer.Composite:
		n = m.Len()
	}
	if total := c.postedBytes.Add(int64(n)); total > int64(c.opts.HardCap) {
		c.postedBytes.Add(-int64(n))
		buffer.Release(msg)
		return ErrOutboundFull
	}
	c.posted.Add(1)
	if !c.loop.inbox.post(task{op: taskWrite, ch: c, msg: msg, p: p, n: n}, c.loop.cfg.Wake) {
		c.posted.Add(-1)
		buffer.Release(msg)
		return ErrLoopClosed
	}
	return nil
}

// Write is Send that waits until the last byte of msg reached the kernel. It takes msg. When parent ends
// first its error is returned, and msg may still be sent. On the channel's own loop it returns ErrOnLoop.
// Safe for concurrent use.
func (c *Channel) Write(parent context.Context, msg any) error {
	if c.loop.OnLoop() {
		buffer.Release(msg)
		return ErrOnLoop
	}
	done := make(chan error, 1)
	p := newPromise(c)
	p.waiter = done
	if err := c.Send(msg, p); err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-parent.Done():
		return context.Cause(parent)
	}
}

// Post runs f on the channel's loop, after everything posted before; not when the channel has been torn
// down by then. ErrLoopClosed: it never will. Safe for concurrent use.
func (c *Channel) Post(f func()) error {
	c.posted.Add(1)
	if !c.loop.inbox.post(task{ch: c, run: f}, c.loop.cfg.Wake) {
		c.posted.Add(-1)
		return ErrLoopClosed
	}
	return nil
}

// Close is CloseWith(CloseDrain, nil). It implements io.Closer and returns nil, also when the channel is
// closed already. Safe for concurrent use.
func (c *Channel) Close() error {
	c.CloseWith(CloseDrain, nil)
	return nil
}

// CloseWith closes the channel through all outbound handlers and does not wait. It takes p, which
// completes on the loop (on the caller's goroutine when the loop has ended). Safe for concurrent use.
func (c *Channel) CloseWith(how CloseMode, p *Promise) {
	c.posted.Add(1)
	if !c.loop.inbox.post(task{op: taskClose, ch: c, how: how, p: p}, c.loop.cfg.Wake) {
		c.posted.Add(-1)
		if p != nil {
			p.completeAlone()
		}
	}
}

// Posted is the number of bytes that Send has taken and the loop has not taken up yet; messages that are not bytes
// count as 512 each. Producers that could outrun the loop look at it. Safe for concurrent use.
func (c *Channel) Posted() int { return int(c.postedBytes.Load()) }

// touch puts the channel on the list that the end of the batch works off.
func (c *Channel) touch() {
	if c.touched || c.state == stateTorn {
		return
	}
	c.touched = true
	l := c.loop
	l.touched = append(l.touched, c)
	if l.depth == 0 {
		l.inbox.rewake(l.cfg.Wake)
	}
}

// settle does for one channel what had to wait until the callbacks returned.
func (c *Channel) settle() {
	if c.state == stateClosed {
		c.tearDown()
		return
	}
	if c.state == stateTorn {
		return
	}
	if !c.opts.ManualFlush || c.state == stateClosing || c.out.ended {
		c.autoFlush()
	}
	c.tellWritable()
	c.kickRead()
	c.advanceClose()
	c.updateInterest()
}

func (c *Channel) autoFlush() {
	if c.pipe.all&maskFlush != 0 && c.state != stateClosing && !c.out.ended {
		c.pipe.tail.Flush()
		return
	}
	c.flush()
}

// Logger is where the channel's reports go, that of Options or slog's default. Safe for concurrent use.
func (c *Channel) Logger() *slog.Logger {
	if c.opts.Logger != nil {
		return c.opts.Logger
	}
	return slog.Default()
}

// logOnce reports the first error of a channel and counts the others.
func (c *Channel) logOnce(text string, err error, more ...any) {
	level := slog.LevelError
	if c.errorLogged {
		level = slog.LevelDebug
	}
	c.errorLogged = true
	c.loop.stats.logged.Add(1)
	handler := ""
	if c.origin.context != nil {
		handler = c.origin.context.Name()
	}
	c.Logger().Log(context.Background(), level, text,
		append([]any{"channel", c.ID(), "handler", handler, "event", c.origin.event, "err", err}, more...)...)
}

// Active reports that the handlers were told of the connection and no close has begun. Call it on the
// event loop only.
func (c *Channel) Active() bool { return c.state == stateActive }

// After is Context.After for code that has no context. Call it on the event loop only.
func (c *Channel) After(d time.Duration, f func()) *Timer { return c.loop.after(c, d, f) }
