package transport

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// errPeerReset is what the system says when the peer has reset a connection.
const errPeerReset = windows.WSAECONNRESET

func TestIsResetKnowsTheErrorsOfAGonePeer(t *testing.T) {
	for _, errno := range []syscall.Errno{windows.WSAECONNRESET, windows.WSAECONNABORTED, windows.ERROR_BROKEN_PIPE} {
		require.True(t, isReset(errno), errno)
	}
	require.False(t, isReset(windows.WSAETIMEDOUT))
}
