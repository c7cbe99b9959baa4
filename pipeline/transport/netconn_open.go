package transport

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"

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

	mu     sync.Mutex
	engine *engine // nil before the first call
	opts   pipeline.Options
	group  pipeline.Group
	closed bool
}

// Open makes a channel over conn, runs init on the channel's loop, and returns the open channel. It takes
// conn, and closes it when it fails: with init's error, pipeline.ErrOnLoop on one of the loops of c,
// parent's error when that ends first, or pipeline.ErrLoopClosed after Close. parent ends the attempt, not
// the channel. Safe for concurrent use.
func (c *Conns) Open(parent context.Context, conn net.Conn, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	e, err := c.start()
	if err == nil {
		err = context.Cause(parent)
	}
	if err != nil {
		_ = conn.Close() // it was never used
		return nil, err
	}
	return dial{init: init, done: make(chan error, 1)}.open(parent, e, conn, &c.opts)
}

// Dial connects to address and opens a channel over the connection like Open. The address is "host:port", or has
// the network in front, which the Dialer has to know: "tcp4://host:port", "unix:///run/app.sock". Dial is
// a pipeline.DialFunc. Safe for concurrent use.
func (c *Conns) Dial(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
	if _, err := c.start(); err != nil {
		return nil, err
	}
	connect := c.Dialer
	if connect == nil {
		connect = (&net.Dialer{}).DialContext
	}
	network, target, given := strings.Cut(address, "://")
	if !given {
		network, target = "tcp", address
	}
	conn, err := connect(parent, network, target)
	if err != nil {
		return nil, err
	}
	return c.Open(parent, conn, init)
}

var _ pipeline.DialFunc = (*Conns)(nil).Dial

// start gives the loops, and starts them at the first call. On one of them it gives pipeline.ErrOnLoop.
func (c *Conns) start() (*engine, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, pipeline.ErrLoopClosed
	}
	if c.engine != nil {
		if c.engine.onLoop() {
			return nil, pipeline.ErrOnLoop
		}
		return c.engine, nil
	}
	c.opts = c.Options.WithDefaults()
	if c.opts.Logger == nil {
		c.opts.Logger = c.Logger
	}
	e, err := newEngine(c.Loops, true, loopSettings{name: "conns", logger: c.Logger, group: &c.group})
	if err != nil {
		return nil, err
	}
	c.engine = e
	return e, nil
}

// Channels are the open channels. Safe for concurrent use.
func (c *Conns) Channels() *pipeline.Group { return &c.group }

// Close closes all channels at once and returns nil when all goroutines have ended; on one of the event
// loops it does not wait for that. Safe for concurrent use.
func (c *Conns) Close() error {
	c.mu.Lock()
	c.closed = true
	e := c.engine
	c.mu.Unlock()
	if e != nil {
		e.close()
	}
	return nil
}

// ServeConn runs a pipeline over conn, on a loop of its own, and returns when the channel has closed: with
// the cause, nil for an ordinary end. It takes conn. When parent ends first, the channel is closed at once
// and parent's error returned. nil options are the defaults. It waits, so it must not be called on an event
// loop. Safe for concurrent use.
func ServeConn(parent context.Context, conn net.Conn, opts *pipeline.Options, init func(*pipeline.Channel) error) error {
	c := Conns{Loops: 1}
	if opts != nil {
		c.Options, c.Logger = *opts, opts.Logger
	}
	defer c.Close()
	ch, err := c.Open(parent, conn, init)
	if err != nil {
		return err
	}
	if err := c.group.Wait(parent); err != nil {
		return err
	}
	cause := make(chan error, 1)
	if err := ch.Loop().Post(func() { cause <- ch.Cause() }); err != nil {
		return err
	}
	return <-cause
}
