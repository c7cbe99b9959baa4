package transport

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"github.com/penstock-go/penstock/pipeline"
)

// Client dials connections and runs a pipeline over each. The zero value is ready. Set the fields before
// the first Dial and leave them alone afterwards.
type Client struct {
	// Options are the settings of all channels. A nil Logger in it means that of the client.
	Options pipeline.Options
	// Loops is the number of event loops, one goroutine each, started by the first Dial. 0 = GOMAXPROCS.
	Loops int
	// Socket are the settings of the connections.
	Socket SocketOptions
	// Goroutines runs every connection as a net.Conn with goroutines of its own instead of on event loops
	// over the system's poller. It is always so where there is no such poller (Windows).
	Goroutines bool
	// Logger gets what concerns no single channel. nil = slog.Default().
	Logger *slog.Logger

	lazy lazyEngine
}

// Dial connects to address ("host:port", or with the network in front: "tcp4://host:port",
// "unix:///path"), runs init on the new channel's loop, and returns the open channel, or init's error; nil
// init adds no handlers. parent ends the attempt, not the channel. ErrAddress: address can't be understood.
// pipeline.ErrLoopClosed: after Close. It waits, so it must not be called on an event loop: one of its own
// answers pipeline.ErrOnLoop. Dial is a pipeline.DialFunc. Safe for concurrent use.
func (c *Client) Dial(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	at, err := parseTarget(address)
	if err != nil {
		return nil, err
	}
	e, err := c.lazy.use(c.Loops, c.Goroutines, c.Options, loopSettings{name: "client", logger: c.Logger})
	if err != nil {
		return nil, err
	}
	d := net.Dialer{KeepAlive: -1} // we set it ourselves
	conn, err := d.DialContext(parent, at.network, at.address)
	if err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	if err := c.Socket.dialed(conn); err != nil {
		_ = conn.Close() // it was never used
		return nil, err
	}
	return dial{init: init, done: make(chan error, 1)}.open(parent, e, conn, &c.lazy.opts)
}

var _ pipeline.DialFunc = (*Client)(nil).Dial

// Channels are the open channels. Safe for concurrent use.
func (c *Client) Channels() *pipeline.Group { return &c.lazy.group }

// Close closes all channels at once and returns nil when all goroutines have ended; on one of the client's
// event loops it does not wait for that. Safe for concurrent use.
func (c *Client) Close() error {
	c.lazy.close()
	return nil
}
