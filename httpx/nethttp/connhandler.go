package nethttp

import (
	"errors"
	"io"
	"net"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// This file has what the event loop does for a connection that was taken over.

// connOrder is a message to the loop without octets.
type connOrder uint8

const (
	connResume connOrder = iota // read on
	connEnd                     // send FIN
	connClose
)

var (
	_ pipeline.AddedHandler       = (*conn)(nil)
	_ pipeline.ReadHandler        = (*conn)(nil)
	_ pipeline.ReadClosedHandler  = (*conn)(nil)
	_ pipeline.WritabilityHandler = (*conn)(nil)
	_ pipeline.CloseHandler       = (*conn)(nil)
	_ pipeline.EventHandler       = (*conn)(nil)
	_ pipeline.InactiveHandler    = (*conn)(nil)
)

// HandleAdded reads on, and tells who waits for the connection when all that came before is here.
func (c *conn) HandleAdded(ctx *pipeline.Context) error {
	c.ctx = ctx
	ctx.SetAutoRead(true)
	return ctx.Channel().Post(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ready = true
		c.change.Broadcast()
	})
}

// HandleRead keeps octets for Read; other messages pass.
func (c *conn) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *buffer.Buffer:
		c.receive(m)
	case *buffer.Composite:
		b := ctx.Alloc(m.Len())
		_, err := m.WriteTo(b)
		m.Release()
		c.receive(b)
		return err
	default:
		ctx.FireRead(msg)
	}
	return nil
}

// receive keeps b, which it takes, for Read.
func (c *conn) receive(b *buffer.Buffer) {
	c.mu.Lock()
	if c.shut == net.ErrClosed || b.Len() == 0 { //nolint:errorlint // set here to that value
		c.mu.Unlock()
		b.Release()
		return
	}
	c.in = append(c.in, b)
	c.held += b.Len()
	pause := c.held >= highInput
	c.paused = c.paused || pause
	c.change.Broadcast()
	c.mu.Unlock()
	if pause && c.ctx != nil {
		c.ctx.SetAutoRead(false)
	}
}

// HandleReadClosed tells the reader. The connection stays open, whatever the channel's options say: whoever took it over
// decides.
func (c *conn) HandleReadClosed(ctx *pipeline.Context) error {
	c.finCloses = !c.stopping && !ctx.Channel().Options().AllowHalfClose
	c.ended(io.EOF)
	ctx.FireReadClosed()
	return nil
}

// ended says that nothing more will come.
func (c *conn) ended(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		c.end = err
	}
	c.change.Broadcast()
}

// HandleClose passes closes on, but for the one that a channel without AllowHalfClose does at the peer's FIN.
func (c *conn) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	if c.finCloses && how == pipeline.CloseDrain && p == nil {
		c.finCloses = false
		return nil
	}
	return ctx.ForwardClose(how, p)
}

// HandleEvent notices that the server ends.
func (c *conn) HandleEvent(ctx *pipeline.Context, event any) error {
	if _, ok := event.(pipeline.ShutdownEvent); ok {
		c.stopping = true
	}
	ctx.FireEvent(event)
	return nil
}

// HandleWritability lets writers go on.
func (c *conn) HandleWritability(ctx *pipeline.Context) error {
	if ctx.Channel().Writable() {
		c.writable()
	}
	ctx.FireWritability()
	return nil
}

// HandleInactive ends all waiting.
func (c *conn) HandleInactive(ctx *pipeline.Context) error {
	cause := ctx.Channel().Cause()
	if cause == nil {
		cause = net.ErrClosed
	}
	c.ended(cause)
	c.fail(errors.Join(pipeError{}, cause))
	ctx.FireInactive()
	return nil
}

// obey does what the goroutines ask for. It runs on the event loop.
func (c *conn) obey() {
	n := 0
	for _, m := range c.take() {
		switch m := m.(type) {
		case *buffer.Buffer:
			n += m.Len()
			if err := c.ctx.Write(m); err != nil {
				c.fail(err)
			}
		case connOrder:
			c.follow(m)
		}
	}
	c.done(n, c.ch.Writable())
}

func (c *conn) follow(o connOrder) {
	switch o {
	case connResume:
		c.ctx.SetAutoRead(true)
	case connEnd:
		c.ctx.CloseWith(pipeline.CloseWrite, nil)
	case connClose:
		c.ctx.Close()
	}
}
