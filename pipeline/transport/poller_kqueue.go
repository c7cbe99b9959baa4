//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package transport

import (
	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

func readinessOf(event netpoll.IOEvent, flags netpoll.IOFlags) (r readiness) {
	switch event {
	case unix.EVFILT_READ:
		r = readable
	case unix.EVFILT_WRITE:
		r = writable
	}
	if flags&unix.EV_EOF != 0 {
		r |= broken | ended // which of the two, the system call tells
	}
	if flags&unix.EV_ERROR != 0 {
		r |= broken
	}
	return r
}
