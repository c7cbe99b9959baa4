//go:build darwin || dragonfly || freebsd || netbsd || openbsd || (linux && edge)

package transport

import "golang.org/x/sys/unix"

// gather writes pieces by one system call.
func (*eventLoop) gather(fd int, pieces [][]byte) (int, error) {
	return unix.SendmsgBuffers(fd, pieces[:min(len(pieces), maxIovecs)], nil, nil, 0)
}
