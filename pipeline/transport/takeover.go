//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// takeOver makes a channel over c's descriptor and returns true, or false when it has none; c is left alone
// then. shared says that somebody else may have a duplicate of the descriptor. Safe for concurrent use, as far
// as in is.
func (e *eventLoops) takeOver(c net.Conn, from *origin, in *entrances, shared bool) bool {
	local, remote := c.LocalAddr(), c.RemoteAddr()
	fd, err := descriptor(c)
	if err != nil {
		return false
	}
	conn := newConn(fd, in.of(local, remote), remote)
	conn.shared = shared
	e.pick().adopt(arrival{conn: conn, from: from})
	return true
}

// descriptor gives the descriptor of a connection to the caller, or an error when it has none; c is closed
// in the first case only. The descriptor is a duplicate: File().Fd() would make the connection blocking for
// everybody who shares it.
func descriptor(c net.Conn) (int, error) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return -1, fmt.Errorf("transport: %T has no descriptor", c)
	}
	fd, err := duplicate(sc)
	if err != nil {
		return -1, err
	}
	if kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE); err != nil || kind != unix.SOCK_STREAM {
		_ = unix.Close(fd) // only the duplicate
		return -1, fmt.Errorf("transport: %T is no stream socket", c)
	}
	_ = c.Close() // the socket lives on in the duplicate
	return fd, nil
}

// duplicate makes one more descriptor of a connection or listener.
func duplicate(sc syscall.Conn) (int, error) {
	raw, err := sc.SyscallConn()
	if err != nil {
		return -1, fmt.Errorf("transport: taking a descriptor over: %w", err)
	}
	fd := -1
	var failure error
	err = raw.Control(func(original uintptr) {
		fd, failure = unix.FcntlInt(original, unix.F_DUPFD_CLOEXEC, 0)
	})
	if err == nil {
		err = failure
	}
	if err != nil {
		return -1, fmt.Errorf("transport: taking a descriptor over: %w", err)
	}
	return fd, nil
}
