package codec

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestLengthsComeBackInEveryWidthAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{1, 2, 3, 4, 8}).Draw(t, "width")
		little := rapid.Bool().Draw(t, "little endian")
		v := rapid.Uint64().Draw(t, "value")
		if width < 8 {
			v &= 1<<(8*width) - 1
		}
		require.True(t, fitsLength(v, width))
		var out buffer.Writer
		out.Reset(nil, 0)
		appendLength(&out, v, width, little)
		b, ok := out.Take().(*buffer.Buffer)
		require.True(t, ok)
		defer b.Release()
		require.Equal(t, width, b.Len())
		got, ok := readLength(b.Bytes(), little)
		require.True(t, ok)
		require.Equal(t, v, got)
	})
}

func TestLengthsHaveWidths(t *testing.T) {
	for _, little := range []bool{false, true} {
		for _, width := range []int{0, 5, 6, 7, 9} {
			_, ok := readLength(make([]byte, width), little)
			require.False(t, ok, width)
		}
	}
	for width, most := range map[int]uint64{1: 1<<8 - 1, 2: 1<<16 - 1, 3: 1<<24 - 1, 4: 1<<32 - 1} {
		require.True(t, fitsLength(most, width))
		require.False(t, fitsLength(most+1, width))
	}
}
