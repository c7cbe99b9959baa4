package nethttp

import (
	"io"
	"net"
	"os"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// conn is a connection that a handler has taken over: a net.Conn for its goroutines, the last handler of the pipeline for
// the loop. Reading stops while 64 KiB wait for a Read; a Write waits while 64 KiB are on their way.
type conn struct {
	link
	ch    *pipeline.Channel
	ctx   *pipeline.Context // on the loop
	local net.Addr
	peer  net.Addr

	// The lock of the link guards these.
	in     []*buffer.Buffer
	held   int // octets in them
	paused bool
	ready  bool  // it has the channel
	end    error // what a Read finds behind the last octet

	finCloses bool // the close that comes next is that of the peer's FIN; on the loop
	stopping  bool // the server ends; on the loop
}

var _ net.Conn = (*conn)(nil)

func newConn(ch *pipeline.Channel) *conn {
	c := &conn{ch: ch, local: ch.LocalAddr(), peer: ch.RemoteAddr()}
	c.connect(ch.Post, c.obey)
	return c
}

// awaitReady waits until the channel is the connection's.
func (c *conn) awaitReady() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ready && c.failed == nil {
		c.change.Wait()
	}
	return c.failed
}

// waiting is how many octets a Read finds at once.
func (c *conn) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}

// Read gives what has come and waits when that is nothing. io.EOF: the peer has ended its side.
func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.shut == net.ErrClosed: //nolint:errorlint // set here to that value
			return 0, opError(c.ch, "read", net.ErrClosed)
		case c.readBy.passed():
			return 0, opError(c.ch, "read", os.ErrDeadlineExceeded)
		case len(p) == 0:
			return 0, nil
		case c.held > 0:
			return c.copyTo(p), nil
		case c.end == io.EOF: //nolint:errorlint // set here to that value
			return 0, io.EOF
		case c.end != nil:
			return 0, opError(c.ch, "read", c.end)
		}
		c.change.Wait()
	}
}

// copyTo moves octets to p.
func (c *conn) copyTo(p []byte) int {
	n := 0
	for n < len(p) && len(c.in) > 0 {
		b := c.in[0]
		k := copy(p[n:], b.Bytes())
		b.Skip(k)
		n += k
		if b.Len() == 0 {
			b.Release()
			c.in = c.in[1:]
		}
	}
	c.held -= n
	if c.paused && c.held < lowInput {
		c.paused = false
		if c.failed == nil {
			_ = c.enqueue(0, connResume) // a loop that has ended reads nothing
		}
	}
	return n
}

// Write sends a copy of p. It waits while the peer does not keep up; what it has taken is not yet with the peer when it
// returns.
func (c *conn) Write(p []byte) (int, error) {
	for sent := 0; ; {
		if err := c.room(); err != nil {
			return sent, opError(c.ch, "write", err)
		}
		n := min(len(p)-sent, largest)
		if n > 0 {
			b := buffer.Get(n)
			b.Append(p[sent : sent+n])
			if err := c.push(n, b); err != nil {
				return sent, opError(c.ch, "write", err)
			}
		}
		if sent += n; sent == len(p) {
			return sent, nil
		}
	}
}

// Close sends what was written, and ends the connection. A second one returns an error that matches net.ErrClosed.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut == net.ErrClosed { //nolint:errorlint // set here to that value
		return opError(c.ch, "close", net.ErrClosed)
	}
	if c.failed == nil {
		_ = c.enqueue(0, connClose) // a loop that has ended has closed it
	}
	c.shut = net.ErrClosed
	c.dropInput()
	c.readBy.stop()
	c.writeBy.stop()
	c.change.Broadcast()
	return nil
}

// CloseWrite sends what was written, then FIN; reading goes on.
func (c *conn) CloseWrite() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.pushLocked(0, connEnd); err != nil {
		return opError(c.ch, "close", err)
	}
	c.shut = pipeline.ErrWriteClosed
	c.change.Broadcast()
	return nil
}

func (c *conn) dropInput() {
	for _, b := range c.in {
		b.Release()
	}
	c.in, c.held = nil, 0
}

// LocalAddr is our end.
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the peer's end.
func (c *conn) RemoteAddr() net.Addr { return c.peer }

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *conn) SetDeadline(at time.Time) error {
	c.setDeadline(&c.readBy, at)
	c.setDeadline(&c.writeBy, at)
	return nil
}

// SetReadDeadline ends reads at that time, with os.ErrDeadlineExceeded; the zero time takes the deadline away.
func (c *conn) SetReadDeadline(at time.Time) error {
	c.setDeadline(&c.readBy, at)
	return nil
}

// SetWriteDeadline ends writes that wait at that time, and all later ones, until it is moved.
func (c *conn) SetWriteDeadline(at time.Time) error {
	c.setDeadline(&c.writeBy, at)
	return nil
}
