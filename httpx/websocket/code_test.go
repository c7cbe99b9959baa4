package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// sendable are the codes of RFC 6455, 7.4.1 and 11.7, that may stand in a frame.
func sendable(c int) bool {
	switch c {
	case 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014:
		return true
	}
	return c >= 3000 && c <= 4999
}

func TestOnlyRegisteredAndPrivateCodesAreSendable(t *testing.T) {
	for c := range 1 << 16 {
		require.Equal(t, sendable(c), Code(c).Sendable(), "%d", c)
	}
	require.Equal(t, "1000", CodeNormal.String())
}
