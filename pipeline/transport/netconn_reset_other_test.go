//go:build !windows

package transport

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// errPeerReset is what the system says when the peer has reset a connection.
const errPeerReset = syscall.ECONNRESET

func TestIsResetKnowsTheErrorsOfAGonePeer(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, syscall.ENOTCONN} {
		require.True(t, isReset(errno), errno)
	}
	require.False(t, isReset(syscall.ETIMEDOUT))
}
