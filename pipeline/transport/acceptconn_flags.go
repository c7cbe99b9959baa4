//go:build dragonfly || freebsd || (linux && !edge)

package transport

import "golang.org/x/sys/unix"

// acceptConn takes one connection off a listener.
func acceptConn(fd int) (int, unix.Sockaddr, error) {
	return unix.Accept4(fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
}
