package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLimitsAreOnInTheZeroValue(t *testing.T) {
	want := Limits{Line: 4096, Headers: 100, Head: 32768, Body: 4194304, Chunk: 65536}
	require.Equal(t, want, Limits{}.filled())
	require.Equal(t, want, Limits{Line: -1, Headers: -1, Head: -1, Body: -1, Chunk: -1}.filled())
	set := Limits{Line: 1, Headers: 2, Head: 3, Body: 4, Chunk: 5}
	require.Equal(t, set, set.filled())
}

func TestLimitsMayBeRaisedBetweenFrames(t *testing.T) {
	d := &Decoder{Limits: Limits{Line: 8}}
	g := decodeAll(t, d, [][]byte{[]byte("BEGIN\na:123456\n\n\x00")})
	require.Len(t, g.Frames, 1)
	d.Limits.Line = 20
	g = decodeAll(t, d, [][]byte{[]byte("BEGIN\na:123456789\n\n\x00")})
	require.Len(t, g.Frames, 1)
	d.Limits.Line = 8
	g = decodeAll(t, d, [][]byte{[]byte("BEGIN\na:123456789\n\n\x00")})
	require.Equal(t, ErrLineTooLong, g.Err)
}
