package transport

import (
	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

func readinessOf(event netpoll.IOEvent, _ netpoll.IOFlags) (r readiness) {
	if event&(unix.EPOLLIN|unix.EPOLLPRI) != 0 {
		r |= readable
	}
	if event&unix.EPOLLOUT != 0 {
		r |= writable
	}
	if event&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		r |= broken
	}
	if event&(unix.EPOLLRDHUP|unix.EPOLLHUP) != 0 {
		r |= ended
	}
	return r
}
