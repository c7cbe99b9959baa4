//go:build darwin || netbsd || openbsd || (linux && edge)

package transport

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// acceptConn takes one connection off a listener. A process started in between must not inherit it.
func acceptConn(fd int) (int, unix.Sockaddr, error) {
	syscall.ForkLock.RLock()
	conn, peer, err := unix.Accept(fd)
	if err == nil {
		unix.CloseOnExec(conn)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, nil, err
	}
	if err := unix.SetNonblock(conn, true); err != nil {
		_ = unix.Close(conn) // the other error counts
		return -1, nil, err
	}
	return conn, peer, nil
}
