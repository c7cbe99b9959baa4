package transport

import (
	"context"
	"net"

	"github.com/penstock-go/penstock/pipeline"
)

// ServeConn runs a pipeline over conn, on a loop of its own, and returns when the channel has closed: with
// the cause, nil for an ordinary end. It takes conn. When parent ends first, the channel is closed at once
// and parent's error returned. nil options are the defaults. It waits, so it must not be called on an event
// loop. Safe for concurrent use.
func ServeConn(parent context.Context, conn net.Conn, opts *pipeline.Options, init func(*pipeline.Channel) error) error {
	c := Conns{Loops: 1}
	if opts != nil {
		c.Options, c.Logger = *opts, opts.Logger
	}
	defer c.lazy.close()
	ch, err := c.Open(parent, conn, init)
	if err != nil {
		return err
	}
	if err := c.lazy.group.Wait(parent); err != nil {
		return err
	}
	cause := make(chan error, 1)
	if err := ch.Loop().Post(func() { cause <- ch.Cause() }); err != nil {
		return err
	}
	return <-cause
}
