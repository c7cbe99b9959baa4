package httpx

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// clientConn is a connection of a Client, and the handler behind its codec. It serves one call after the other.
type clientConn struct {
	pipeline.Unshared
	client  *Client
	host    *clientHost
	channel *pipeline.Channel
	ctx     *pipeline.Context
	state   State
	decoder *clientDecoder
	codec   [2]pipeline.Handler
	tasks

	// Guarded by the pool.
	next  *Call // that it has been given to
	links idleLinks
	gone  error // why it is lost

	// Of the loop:
	call      *Call // that it serves
	timer     *pipeline.Timer
	born      time.Time
	cause     error         // why it closes
	keep      time.Duration // how long it may be unused
	used      bool          // it has served, or waited for, a call before this one
	sent      bool          // all of the request is on its way
	expecting bool          // the body waits for the server's word
	responded bool          // the head of the final response has come
	stopped   bool          // it is not read
	pumping   bool
	interims  int
	last      time.Time // when octets of a body were last under way
}

// tasks are the functions of a connection that are posted to its loop, made once.
type tasks struct{ wakeTask, pumpTask, resumeTask func() }

var (
	_ pipeline.AddedHandler       = (*clientConn)(nil)
	_ pipeline.ReadHandler        = (*clientConn)(nil)
	_ pipeline.ReadClosedHandler  = (*clientConn)(nil)
	_ pipeline.WritabilityHandler = (*clientConn)(nil)
	_ pipeline.ErrorHandler       = (*clientConn)(nil)
	_ pipeline.InactiveHandler    = (*clientConn)(nil)
)

// clientDecoder watches what a ResponseDecoder gets.
type clientDecoder struct {
	*ResponseDecoder
	seen bool // octets have come since the request was sent
	left int  // octets behind the message that came last
}

// Decode is ResponseDecoder.Decode.
func (d *clientDecoder) Decode(in *buffer.Buffer) (m any, ok bool, err error) {
	d.seen = d.seen || in.Len() > 0
	m, ok, err = d.ResponseDecoder.Decode(in)
	d.left = in.Len()
	return m, ok, err
}

// DecodeEOF is ResponseDecoder.DecodeEOF.
func (d *clientDecoder) DecodeEOF(in *buffer.Buffer) (m any, ok bool, err error) {
	d.seen = d.seen || in.Len() > 0
	m, ok, err = d.ResponseDecoder.DecodeEOF(in)
	d.left = in.Len()
	return m, ok, err
}

func newClientConn(c *Client, h *clientHost) *clientConn {
	conn := &clientConn{client: c, host: h}
	conn.tasks = tasks{wakeTask: conn.wake, pumpTask: conn.pump, resumeTask: conn.resume}
	conn.decoder = &clientDecoder{ResponseDecoder: NewResponseDecoder(c.Decoder, &conn.state)}
	encoder := NewRequestEncoder(&conn.state)
	encoder.Origin = true
	conn.codec = [2]pipeline.Handler{codec.NewDecoder[any](conn.decoder), codec.NewEncoder[any](encoder)}
	return conn
}

// install fills the pipeline of a channel that has been dialed.
func (c *clientConn) install(ch *pipeline.Channel) error {
	c.channel = ch
	return ch.Pipeline().AddLast(c.codec[0], c.codec[1], c)
}

// loop is the event loop that runs the connection. Safe for concurrent use once it has been dialed.
func (c *clientConn) loop() *pipeline.Loop { return c.channel.Loop() }

// HandleAdded notes its place. A server may wait for us to read before it reads on, and what waits to be sent is bounded
// by the call.
func (c *clientConn) HandleAdded(ctx *pipeline.Context) error {
	c.ctx, c.born = ctx, ctx.Loop().Now()
	c.keep = orDefault(c.client.IdleTimeout, DefaultIdleTimeout)
	ctx.SetReadWhileUnwritable(true)
	return nil
}

// HandleWritability sends more of the request, then passes on.
func (c *clientConn) HandleWritability(ctx *pipeline.Context) error {
	c.pump()
	ctx.FireWritability()
	return nil
}

// HandleError closes the connection: whatever it is, nothing on it can be trusted any more. The call hears of it, and a
// connection that nobody uses is no loss.
func (c *clientConn) HandleError(_ *pipeline.Context, err error) error {
	c.fail(err)
	return nil
}

// HandleReadClosed closes the connection: where the end of its octets is not that of a response, one is lost.
func (c *clientConn) HandleReadClosed(ctx *pipeline.Context) error {
	c.shut()
	ctx.FireReadClosed()
	return nil
}

// fail closes the connection because of err.
func (c *clientConn) fail(err error) {
	if c.cause == nil {
		c.cause = err
	}
	c.shut()
}

func (c *clientConn) shut() {
	if c.channel.IsOpen() {
		c.ctx.CloseWith(pipeline.CloseNow, nil)
	}
}

// HandleInactive takes the connection out of the pool, and ends its call or has it sent again.
func (c *clientConn) HandleInactive(ctx *pipeline.Context) error {
	p, on := &c.client.pool, ctx.Loop()
	err := c.lossError()
	c.timer.Stop()
	p.mu.Lock()
	next := p.drop(c, err)
	dials := c.client.wanted(c.host)
	p.leave(c.host)
	p.mu.Unlock()
	c.client.startDials(c.host, dials)
	call := c.call
	c.call = nil
	switch {
	case call == nil:
	case c.mayRetry(call):
		call.conn.Store(nil)
		call.attempts++
		c.client.again(call, on)
	default:
		call.conn.Store(nil)
		call.end(err, on)
	}
	if next != nil {
		c.client.again(next, on)
	}
	ctx.FireInactive()
	return nil
}

// lossError is what a call ends with whose connection this was.
func (c *clientConn) lossError() error {
	var late *TimeoutError
	var refused *codec.EncodeError
	var bad *Error
	cause := c.cause
	if cause == nil {
		cause = c.channel.Cause()
	}
	switch {
	case c.client.pool.isClosed():
		return ErrClientClosed
	case cause == nil:
		return ErrServerGone
	case errors.As(cause, &late), errors.As(cause, &refused), errors.As(cause, &bad) && bad.Reason != prematureClose:
		return cause
	}
	return fmt.Errorf("%w: %w", ErrServerGone, cause)
}

// mayRetry reports whether call, whose response has not come, is sent again. RFC 9112, 9.3.1.
func (c *clientConn) mayRetry(call *Call) bool {
	allowed := c.client.MaxRetries
	if allowed == 0 {
		allowed = DefaultMaxRetries
	}
	var late net.Error
	return c.used && !c.decoder.seen && idempotent(call.method) && call.attempts < allowed &&
		!call.body && !call.held && (call.full != nil || call.request != nil) && !call.cancelled() &&
		!(errors.As(c.cause, &late) && late.Timeout())
}
