package embedded

import (
	"fmt"
	"io"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Feed lets the peer send a copy of p and runs the channel. It reads only as far as it wants to (auto-read, requests,
// watermarks); what is left stays in the socket, see Unread, until it reads again. Feed returns the oldest recorded
// error, pipeline.ErrClosed when the socket is closed, and io.ErrClosedPipe when the peer has sent FIN or RST before.
func (c *Channel) Feed(p []byte) error {
	if err := c.feedable(); err != nil {
		return err
	}
	c.Socket.receive(p)
	c.world.run()
	return c.surface()
}

// FeedString is Feed for a string.
func (c *Channel) FeedString(s string) error {
	if err := c.feedable(); err != nil {
		return err
	}
	c.Socket.receiveString(s)
	c.world.run()
	return c.surface()
}

func (c *Channel) feedable() error {
	switch {
	case c.Socket.closed:
		return fmt.Errorf("embedded: feed: %w", c.closedErr())
	case c.Socket.PeerEnded():
		return fmt.Errorf("embedded: feed after the peer's end: %w", io.ErrClosedPipe)
	}
	return nil
}

// WriteInbound sends messages through the pipeline as if a decoder in front of it had made them, then read-complete, as
// one batch, and runs the channel. It returns the oldest recorded error; pipeline.ErrClosed and nothing sent when the
// channel is closed or closing. It takes the messages in any case.
func (c *Channel) WriteInbound(msgs ...any) error {
	if !c.ch.IsOpen() {
		return c.refuse("write inbound", msgs)
	}
	fire := func(p *pipeline.Pipeline) {
		for _, m := range msgs {
			p.FireRead(m)
		}
		p.FireReadComplete()
	}
	if c.world.running {
		c.ch.Inject(fire)
		return nil
	}
	c.world.run() // what was posted before comes first
	if !c.ch.IsOpen() {
		return c.refuse("write inbound", msgs)
	}
	c.world.guard(func() { c.ch.Inject(fire) })
	c.world.run()
	return c.surface()
}

// WriteOutbound writes messages from the tail, then flushes, as one batch, and runs the channel. It returns the first
// error of a write that was refused at once, else the oldest recorded error; pipeline.ErrClosed when the channel is
// closed or closing. It takes the messages in any case.
func (c *Channel) WriteOutbound(msgs ...any) error {
	if !c.ch.IsOpen() {
		return c.refuse("write outbound", msgs)
	}
	var refused error
	write := func() {
		for _, m := range msgs {
			if err := c.ch.Pipeline().Write(m); err != nil && refused == nil {
				refused = err
			}
		}
		c.ch.Pipeline().Flush()
	}
	if c.world.running {
		write()
		return refused
	}
	c.world.run() // so that nothing comes in front of the writes and closes the channel
	if !c.ch.IsOpen() || c.ch.Post(write) != nil {
		return c.refuse("write outbound", msgs)
	}
	c.world.run()
	if refused != nil {
		return refused
	}
	return c.surface()
}

func (c *Channel) refuse(what string, msgs []any) error {
	for _, m := range msgs {
		buffer.Release(m)
	}
	return fmt.Errorf("embedded: %s: %w", what, c.closedErr())
}
