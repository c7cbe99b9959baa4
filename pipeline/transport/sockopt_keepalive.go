//go:build dragonfly || freebsd || linux || netbsd

package transport

import "golang.org/x/sys/unix"

func keepAliveTimes(seconds int) []option {
	return []option{
		{"TCP_KEEPIDLE", unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, seconds},
		{"TCP_KEEPINTVL", unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, seconds},
	}
}
