package transport

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"

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

	mu     sync.Mutex
	engine *engine // nil before the first Dial
	opts   pipeline.Options
	group  pipeline.Group
	closed bool
}

// Dial connects to address ("host:port", or with the network in front: "tcp4://host:port",
// "unix:///path"), runs init on the new channel's loop, and returns the open channel, or init's error.
// parent ends the attempt, not the channel. It waits, so it must not be called on an event loop: one of its
// own answers pipeline.ErrOnLoop. After Close it returns pipeline.ErrLoopClosed. Dial is a
// pipeline.DialFunc. Safe for concurrent use.
func (c *Client) Dial(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	at, err := parseAddress(address)
	if err == nil && at.network == "fd" {
		err = badAddress(address)
	}
	if err != nil {
		return nil, err
	}
	e, err := c.start()
	if err != nil {
		return nil, err
	}
	if e.onLoop() {
		return nil, pipeline.ErrOnLoop
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
	return dial{init: init, done: make(chan error, 1)}.open(parent, e, conn, &c.opts)
}

var _ pipeline.DialFunc = (*Client)(nil).Dial

// start gives the loops, and starts them at the first call.
func (c *Client) start() (*engine, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, pipeline.ErrLoopClosed
	}
	if c.engine != nil {
		return c.engine, nil
	}
	c.opts = c.Options.WithDefaults()
	if c.opts.Logger == nil {
		c.opts.Logger = c.Logger
	}
	e, err := newEngine(c.Loops, c.Goroutines, loopSettings{name: "client", logger: c.Logger, group: &c.group})
	if err != nil {
		return nil, err
	}
	c.engine = e
	return e, nil
}

// Channels are the open channels. Safe for concurrent use.
func (c *Client) Channels() *pipeline.Group { return &c.group }

// Close closes all channels at once and returns nil when all goroutines have ended; on one of the client's
// event loops it does not wait for that. Safe for concurrent use.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	e := c.engine
	c.mu.Unlock()
	if e != nil {
		e.close()
	}
	return nil
}
