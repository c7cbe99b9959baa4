//go:build linux && !edge

package transport

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// gather writes pieces by one writev with the loop's own array: the wrapper of the system library makes
// a new one above eight pieces.
func (l *eventLoop) gather(fd int, pieces [][]byte) (int, error) {
	n := 0
	for _, p := range pieces[:min(len(pieces), maxIovecs)] {
		if len(p) == 0 {
			continue
		}
		l.iov[n].Base = &p[0]
		l.iov[n].SetLen(len(p))
		n++
	}
	if n == 0 {
		return 0, nil
	}
	done, _, errno := unix.Syscall(unix.SYS_WRITEV, uintptr(fd), uintptr(unsafe.Pointer(&l.iov[0])), uintptr(n))
	clear(l.iov[:n])
	if errno != 0 {
		return 0, errno
	}
	return int(done), nil
}
