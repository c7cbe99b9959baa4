package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestSinkKeepsEveryByteInFewBuffers(t *testing.T) {
	s := &sink{alloc: buffer.Shared()}
	require.Nil(t, s.take())
	long := noise(300_000)
	for _, piece := range []int{1, 7, 240, 5000, 100_000} {
		for _, total := range []int{1, 511, 512, 513, 9000, 70_000, 300_000} {
			if total > 10_000*piece {
				continue
			}
			want := long[:total]
			for rest := want; rest != ""; {
				n := min(piece, len(rest))
				k, err := s.Write([]byte(rest[:n]))
				require.NoError(t, err)
				require.Equal(t, n, k)
				rest = rest[n:]
			}
			require.Equal(t, total, s.n)
			out := s.take()
			require.Zero(t, s.n)
			if c, ok := out.(*buffer.Composite); ok {
				require.LessOrEqual(t, c.Parts(), 2+total/largestOut)
				for i := range c.Parts() {
					require.LessOrEqual(t, len(c.Part(i)), largestOut+largestOut/8, "a step of the pool")
				}
			} else {
				require.LessOrEqual(t, total, largestOut)
			}
			require.Equal(t, want, taken(t, out))
		}
	}
}

func TestSinkCutsLargeOutputBehindSmall(t *testing.T) {
	s := &sink{alloc: buffer.Shared()}
	_, _ = s.Write([]byte("header"))
	_, _ = s.Write(make([]byte, firstOut-6))
	_, _ = s.Write(make([]byte, 100_000))
	c, ok := s.take().(*buffer.Composite)
	require.True(t, ok)
	require.Len(t, c.Part(0), largestOut)
	require.Equal(t, firstOut+100_000, c.Len())
	c.Release()
}

func TestSinkKeepsSmallOutputInOnePiece(t *testing.T) {
	s := &sink{alloc: buffer.Shared()}
	for range 80 {
		_, _ = s.Write([]byte(strings.Repeat("x", 100)))
	}
	b, ok := s.take().(*buffer.Buffer)
	require.True(t, ok)
	require.Equal(t, 8000, b.Len())
	b.Release()
}
