//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package transport

import (
	"net"
	"time"
)

// userTimeout is nothing: the system has no such option.
func userTimeout(time.Duration) []option { return nil }

// accepted sets what the connection may not have inherited. A connection that is broken already says so at
// its first read.
func (o *SocketOptions) accepted(fd int, listener net.Addr) {
	_, tcp := listener.(*net.TCPAddr)
	_ = o.set(fd, tcp)
}
