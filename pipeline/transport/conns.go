package transport

import (
	"context"
	"log/slog"
	"net"

	"github.com/penstock-go/penstock/pipeline"
)

// Conns runs pipelines over connections that somebody else has made: TLS connections of crypto/tls, SSH
// channels, connections of a proxy's dialer, net.Pipe. Each takes two goroutines while it is open. The
// zero value is ready. Set the fields before the first call and leave them alone afterwards.
//
// A connection should have the method CloseWrite that *net.TCPConn and *tls.Conn have. Without it
// CloseWrite fails, and CloseDrain closes as soon as everything is written. A reset by the peer is seen by
// the next read or write: not by a channel that does neither.
type Conns struct {
	// Options are the settings of all channels. A nil Logger in it means that below.
	Options pipeline.Options
	// Loops is the number of event loops, one goroutine each, started by the first call. 0 = GOMAXPROCS.
	Loops int
	// Dialer makes the connections for Dial; net.Dialer, tls.Dialer and proxy dialers have a method of this
	// kind. nil = that of a net.Dialer.
	Dialer func(parent context.Context, network, address string) (net.Conn, error)
	// Logger gets what concerns no single channel. nil = slog.Default().
	Logger *slog.Logger

	lazy lazyEngine
}

// Open makes a channel over conn, runs init on the channel's loop, and returns the open channel; nil init adds
// no handlers. It takes conn, and closes it when it fails: with init's error, pipeline.ErrOnLoop on one of the
// loops of c, parent's error when that ends first, or pipeline.ErrLoopClosed after Close. parent ends the
// attempt, not the channel. Safe for concurrent use.
func (c *Conns) Open(parent context.Context, conn net.Conn, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	e, err := c.use()
	if err != nil {
		_ = conn.Close() // it was never used
		return nil, err
	}
	return c.open(parent, e, conn, init)
}

// Dial connects to address and opens a channel over the connection like Open. The address is as for
// Client.Dial; with a Dialer of yours it may have any other network in front that the Dialer knows, as in
// "ssh://host:22". ErrAddress: it is none of these. pipeline.ErrLoopClosed: after Close. It waits, so it must not
// be called on an event loop: one of the loops of c answers pipeline.ErrOnLoop. Dial is a pipeline.DialFunc.
// Safe for concurrent use.
func (c *Conns) Dial(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	connect, parse := c.Dialer, parseForeign
	if connect == nil {
		connect, parse = (&net.Dialer{}).DialContext, parseTarget
	}
	at, err := parse(address)
	if err != nil {
		return nil, err
	}
	e, err := c.use()
	if err != nil {
		return nil, err
	}
	conn, err := connect(parent, at.network, at.address)
	if err != nil {
		return nil, err
	}
	return c.open(parent, e, conn, init)
}

var _ pipeline.DialFunc = (*Conns)(nil).Dial

func (c *Conns) use() (*engine, error) {
	return c.lazy.use(c.Loops, true, c.Options, loopSettings{name: "conns", logger: c.Logger})
}

// open takes conn.
func (c *Conns) open(parent context.Context, e *engine, conn net.Conn, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	if err := context.Cause(parent); err != nil {
		_ = conn.Close() // it was never used
		return nil, err
	}
	return dial{init: init, done: make(chan error, 1)}.open(parent, e, conn, &c.lazy.opts)
}

// Channels are the open channels. Safe for concurrent use.
func (c *Conns) Channels() *pipeline.Group { return &c.lazy.group }

// Close closes all channels at once and returns nil when all goroutines have ended; on one of the event
// loops it does not wait for that. Safe for concurrent use.
func (c *Conns) Close() error {
	c.lazy.close()
	return nil
}
