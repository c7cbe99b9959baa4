package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/penstock-go/penstock/pipeline"
)

// netConn is the transport over any net.Conn. Two goroutines do the blocking calls and make it look like a
// socket that never blocks: one reads ahead into a staging buffer while the channel wants to read, the
// other writes what Writev copied for it. Both are started at their first use and end with the connection.
//
// What is due to the channel follows from the state alone, so nothing is lost when a round is cut short:
// the connection is simply looked at again.
//
// A connection that is not read from does not notice a reset before it is written to or read again.
type netConn struct {
	conn net.Conn
	loop *connLoop
	ch   *pipeline.Channel

	init   func(*pipeline.Channel) error // nil once it has been used up
	opened func(*pipeline.Channel)
	isOpen bool // Open has been called; on the loop

	mu     sync.Mutex
	in     readSide
	out    writeSide
	endErr error // of ending our side
	closed bool
	queued bool // on the loop's list for its next round
}

var (
	_ pipeline.Transport  = (*netConn)(nil)
	_ pipeline.FileSender = (*netConn)(nil)
	_ pipeline.Addresser  = (*netConn)(nil)
	_ Wrapper             = (*netConn)(nil)
)

// halfCloser is implemented by connections that can end one direction.
type halfCloser interface{ CloseWrite() error }

// errHalfClose is what ending one direction of a connection without CloseWrite gives.
var errHalfClose = fmt.Errorf("transport: connection can't be half-closed: %w", errors.ErrUnsupported)

func newNetConn(conn net.Conn, l *connLoop, opts *pipeline.Options) *netConn {
	c := &netConn{conn: conn, loop: l}
	c.in.more.L, c.out.more.L = &c.mu, &c.mu
	c.in.guess = firstStage
	c.ch = pipeline.NewChannel(l.core, pipeline.ChannelConfig{
		Transport: c, Options: opts, Group: l.owner.settings.group,
	})
	return c
}

// due says what the channel has to be told. The caller holds c.mu.
func (c *netConn) due() (read, write bool, failure error) {
	if c.closed {
		return false, false, nil
	}
	failure = c.endErr
	if failure == nil && !c.in.want && c.in.staged == nil && c.in.broken() && c.out.err == nil {
		failure = c.in.err // nobody reads, so nobody would see it
	}
	return c.in.want && c.in.ready(), c.out.want && c.out.ready(c.in.collecting), failure
}

// look puts the connection on the loop's list when something is due. The caller holds c.mu.
func (c *netConn) look() {
	read, write, failure := c.due()
	if c.queued || !read && !write && failure == nil {
		return
	}
	c.queued = true
	c.loop.enqueue(c)
}

// deliver tells the channel what is due, on the loop. A callback may end the goroutine in the middle: what
// is still due then stays due.
func (c *netConn) deliver() {
	if !c.isOpen {
		c.open()
	}
	c.mu.Lock()
	c.queued = false
	read, write, failure := c.due()
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.look()
		c.mu.Unlock()
	}()
	if failure != nil {
		c.fail(failure)
		return
	}
	if write {
		c.ch.WriteReady()
	}
	if read {
		c.ch.ReadReady()
	}
}

// fail ends the channel. One that only could not say goodbye has lost nothing: a TLS connection whose
// handshake was never begun, say.
func (c *netConn) fail(err error) {
	c.mu.Lock()
	goodbye := c.endErr != nil
	c.endErr = nil
	c.mu.Unlock()
	if goodbye && !c.ch.IsOpen() && !errors.Is(err, pipeline.ErrReset) {
		c.ch.CloseWith(pipeline.CloseNow, nil)
		return
	}
	c.ch.Failed(err)
}

func (c *netConn) open() {
	c.isOpen = true
	c.loop.conns[c] = struct{}{}
	init, opened := c.init, c.opened
	c.init, c.opened = nil, nil
	if opened != nil {
		defer opened(c.ch) // also when init ends the goroutine
	}
	if c.loop.ending {
		c.ch.Failed(pipeline.ErrLoopClosed)
		return
	}
	c.ch.Open(init)
}

// SetInterest says what the channel wants to hear of. Call it on the event loop only.
func (c *netConn) SetInterest(read, write bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in.want, c.out.want = read, write
	if read {
		c.startReader()
		c.in.more.Signal()
	}
	c.look()
	return nil
}

// Close closes the connection and lets its goroutines end. Closing a TLS connection may block, and so may
// anything else than a socket: a goroutine of its own does that. Call it on the event loop only.
func (c *netConn) Close(reset bool) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.in.drop()
	c.out.drop()
	c.in.more.Signal()
	c.out.more.Signal()
	c.mu.Unlock()
	delete(c.loop.conns, c)
	if reset {
		abort(c.conn)
	}
	switch c.conn.(type) {
	case *net.TCPConn, *net.UnixConn:
		c.closeConn()
	default:
		c.loop.owner.group.Go(c.closeConn)
	}
	return nil
}

func (c *netConn) closeConn() {
	_ = c.conn.Close() // nobody could do anything about it
	c.loop.owner.tellClosed(c.conn)
}

// abort makes the peer of a TCP connection see a reset when it is closed. One inside another connection (TLS) is
// closed at once, so that no orderly end is sent first.
func abort(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it is closed in any case
		return
	}
	if outer, ok := c.(Wrapper); ok {
		inner := outer.NetConn()
		abort(inner)
		_ = inner.Close()
	}
}

// LocalAddr is our end's address. Safe for concurrent use.
func (c *netConn) LocalAddr() net.Addr { return c.conn.LocalAddr() }

// RemoteAddr is the peer's address. Safe for concurrent use.
func (c *netConn) RemoteAddr() net.Addr { return c.conn.RemoteAddr() }

// NetConn implements Wrapper. Safe for concurrent use.
func (c *netConn) NetConn() net.Conn { return c.conn }

// connError makes the errors that mean "the peer is gone" match pipeline.ErrReset on every system.
func connError(err error) error {
	if errors.Is(err, io.ErrClosedPipe) || isReset(err) {
		return fmt.Errorf("%w: %w", pipeline.ErrReset, err)
	}
	return err
}
