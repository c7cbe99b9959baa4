package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeadsHaveTheShortestLength(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "8200", 1: "8201", 125: "827d", 126: "827e007e", 127: "827e007f", 65535: "827effff", 65536: "827f0000000000010000",
		1<<63 - 1: "827f7fffffffffffffff",
	} {
		h := header{op: opBinary, fin: true, length: n}
		var p [maxHeader]byte
		got := p[:h.put(p[:])]
		require.Equal(t, fromHex(t, want), got)
		require.Equal(t, len(got), h.size())
		require.Equal(t, len(got), headSize(got))
		h.masked, h.key = true, 0x04030201
		got = p[:h.put(p[:])]
		require.Equal(t, []byte{1, 2, 3, 4}, got[len(got)-4:])
		require.Equal(t, len(got), h.size())
		require.Equal(t, len(got), headSize(got))
	}
}

func TestHeadsCarryTheirBits(t *testing.T) {
	var p [maxHeader]byte
	h := header{op: opText, rsv1: true}
	h.put(p[:])
	require.Equal(t, byte(0x41), p[0])
	h = header{op: opContinuation, fin: true}
	h.put(p[:])
	require.Equal(t, byte(0x80), p[0])
	require.Equal(t, 2, headSize(nil))
	require.Equal(t, 2, headSize(p[:1]))
}
