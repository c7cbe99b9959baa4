//go:build !windows

package transport

import (
	"errors"
	"syscall"
)

// isReset reports whether err says that the peer, or the network, has broken the connection. ENOTCONN is
// what ending our side gives when the peer's reset came first.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, syscall.ECONNABORTED) || errors.Is(err, syscall.ENOTCONN)
}
