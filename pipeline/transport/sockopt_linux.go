package transport

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

func userTimeout(d time.Duration) []option {
	ms := int((d + time.Millisecond - 1) / time.Millisecond)
	return []option{{"TCP_USER_TIMEOUT", unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, ms}}
}

// accepted does nothing: on this system connections inherit every option of their listener.
func (*SocketOptions) accepted(int, net.Addr) {}
