//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"

	"github.com/penstock-go/penstock/pipeline"
	"golang.org/x/sys/unix"
)

// conn is the socket under a channel: a descriptor that never blocks, watched by the loop's poller. It is
// kept small, as idle connections consist of little else; the order of the fields leaves no gaps.
type conn struct {
	loop     *eventLoop
	ch       *pipeline.Channel
	entrance *entrance
	ip       netip.Addr // of the peer; not valid: entrance has its address
	fd       int        // -1 when closed
	port     uint16     // of the peer
	interest
	shared bool // somebody else may have a duplicate of the descriptor
}

func newConn(fd int, at *entrance, remote net.Addr) *conn {
	c := &conn{fd: fd, entrance: at}
	c.ip, c.port = splitIP(remote)
	return c
}

var (
	_ pipeline.Transport = (*conn)(nil)
	_ pipeline.Addresser = (*conn)(nil)
	_ Controller         = (*conn)(nil)
)

// Read reads straight into p. Call it on the event loop only.
func (c *conn) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(c.fd, p)
		if err != nil && errors.Is(err, unix.EINTR) {
			continue
		}
		c.noteRead(n, len(p))
		switch {
		case n > 0:
			return n, nil
		case err == nil:
			return 0, io.EOF
		case errors.Is(err, unix.EAGAIN):
			return 0, pipeline.ErrWouldBlock
		}
		return 0, os.NewSyscallError("read", err)
	}
}

// Writev writes the pieces by one system call. Call it on the event loop only.
func (c *conn) Writev(pieces [][]byte) (int, error) {
	for {
		var n int
		var err error
		if len(pieces) == 1 {
			n, err = unix.Write(c.fd, pieces[0])
		} else {
			n, err = c.loop.gather(c.fd, pieces)
		}
		if err != nil && errors.Is(err, unix.EINTR) {
			continue
		}
		return c.written(n, "writev", err)
	}
}

// written turns what a system call said into what the channel expects.
func (c *conn) written(n int, call string, err error) (int, error) {
	n = max(n, 0)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, unix.EAGAIN) {
		c.noteFull()
		return n, pipeline.ErrWouldBlock
	}
	return n, os.NewSyscallError(call, err)
}

// CloseWrite sends FIN. Call it on the event loop only.
func (c *conn) CloseWrite() error {
	err := unix.Shutdown(c.fd, unix.SHUT_WR)
	if errors.Is(err, unix.ENOTCONN) {
		err = unix.ECONNRESET // it was connected: the peer has reset it
	}
	return os.NewSyscallError("shutdown", err)
}

// Close closes the descriptor. Its number may be another connection's at once. Call it on the event loop
// only.
func (c *conn) Close(reset bool) error {
	if c.fd < 0 {
		return nil
	}
	if c.shared {
		_ = c.loop.poll.forget(c.fd) // a duplicate would keep it registered
	}
	if reset {
		resetOnClose(c.fd)
	}
	c.loop.table[c.fd] = nil
	c.drop()
	return nil
}

// drop closes the descriptor and gives up what the connection counted for.
func (c *conn) drop() {
	fd := c.fd
	c.fd = -1
	_ = unix.Close(fd) // nothing is left to do about it
	c.loop.load.Add(-1)
	if c.entrance.gate != nil {
		c.entrance.gate.leave(c.ip)
	}
}

// resetOnClose makes the peer see RST when fd is closed.
func resetOnClose(fd int) {
	_ = unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}) // else it sees FIN
}

// checkReset tells the channel when the socket has failed while nobody reads or writes.
func (c *conn) checkReset() {
	code, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = syscall.Errno(code)
	}
	if err != nil {
		c.ch.Failed(os.NewSyscallError("socket", err))
	}
}

// LocalAddr is our end's address, which connections share: do not change it. Safe for concurrent use.
func (c *conn) LocalAddr() net.Addr { return c.entrance.local }

// RemoteAddr is the peer's address, made anew by each call if it is an IP address. Safe for concurrent use.
func (c *conn) RemoteAddr() net.Addr {
	if c.ip.IsValid() {
		return joinIP(c.ip, c.port)
	}
	return c.entrance.remote
}

// Control implements Controller. Call it on the event loop only.
func (c *conn) Control(f func(fd uintptr)) error {
	if c.fd < 0 {
		return net.ErrClosed
	}
	f(uintptr(c.fd))
	return nil
}
