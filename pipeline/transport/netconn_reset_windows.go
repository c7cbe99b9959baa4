package transport

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// isReset reports whether err says that the peer, or the network, has broken the connection. The errno
// constants that package syscall shares with other systems never occur on Windows.
func isReset(err error) bool {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return false
	}
	switch errno {
	case windows.WSAECONNRESET, windows.WSAECONNABORTED, windows.WSAESHUTDOWN, windows.WSAENOTCONN,
		windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA:
		return true
	default:
		return false
	}
}
