package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpcodesOfTheRFCAreKnownAndOthersReserved(t *testing.T) {
	for o := range opcode(16) {
		switch o {
		case 0, 1, 2:
			require.True(t, o.known())
			require.False(t, o.control())
		case 8, 9, 10:
			require.True(t, o.known())
			require.True(t, o.control())
		default:
			require.False(t, o.known())
		}
	}
}

func TestTypeNamesItself(t *testing.T) {
	require.Equal(t, "text", TypeText.String())
	require.Equal(t, "binary", TypeBinary.String())
	require.Equal(t, "unknown type", Type(3).String())
	require.False(t, Type(0).valid())
}
