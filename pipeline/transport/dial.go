package transport

import (
	"context"
	"net"

	"github.com/penstock-go/penstock/pipeline"
)

// dial is one connection that somebody waits for.
type dial struct {
	init func(*pipeline.Channel) error
	done chan error // has room for one
}

// open makes a channel over conn and waits for the end of init.
func (d dial) open(parent context.Context, e *engine, conn net.Conn, opts *pipeline.Options) (*pipeline.Channel, error) {
	var ch *pipeline.Channel
	ready := false
	e.open(conn, &origin{
		opts: opts,
		init: func(c *pipeline.Channel) error {
			if d.init != nil {
				if err := d.init(c); err != nil {
					return err
				}
			}
			ready = true // what handlers do afterwards is the channel's own life
			return nil
		},
		opened: func(c *pipeline.Channel) {
			ch = c
			switch {
			case c == nil:
				d.done <- pipeline.ErrLoopClosed
			case ready:
				d.done <- nil
			case c.Cause() != nil:
				d.done <- c.Cause()
			default:
				d.done <- pipeline.ErrClosed
			}
		},
	}, nil, false)
	select {
	case err := <-d.done:
		if err != nil {
			return nil, err
		}
		return ch, nil
	case <-parent.Done():
		go func() {
			if err := <-d.done; err == nil {
				ch.CloseWith(pipeline.CloseNow, nil)
			}
		}()
		return nil, context.Cause(parent)
	}
}
