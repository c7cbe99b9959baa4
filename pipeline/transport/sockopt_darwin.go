package transport

import "golang.org/x/sys/unix"

func keepAliveTimes(seconds int) []option {
	return []option{
		{"TCP_KEEPALIVE", unix.IPPROTO_TCP, unix.TCP_KEEPALIVE, seconds},
		{"TCP_KEEPINTVL", unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, seconds},
	}
}
