package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestMeasureCountsWhatIsWritten(t *testing.T) {
	for _, f := range append(fixtures(), NewFrame(CommandSend, "a:b\\c\nd\re", "12345678:90\n")) {
		for v := Version11; v <= Version12; v++ {
			size, _, err := measure(v, f.Command, f.Headers)
			require.NoError(t, err)
			dst := make([]byte, size)
			n, _ := putHead(dst, v, f.Command, f.Headers)
			require.Equal(t, size, n)
		}
		f.Release()
	}
}

func TestBodyOwnSizeCountsWhatIsCopied(t *testing.T) {
	var b Body
	defer b.Reset()
	require.Zero(t, b.ownSize(refThreshold))
	b.AppendBytes(make([]byte, refThreshold-1))
	require.Equal(t, refThreshold-1, b.ownSize(refThreshold))
	b.AppendBytes(make([]byte, 10))
	require.Equal(t, 10, b.ownSize(refThreshold), "of a large body only small pieces")
}

func TestContentOwnSizeCountsTheNul(t *testing.T) {
	big := NewContent(buffer.Slice{}, true)
	defer big.Release()
	require.Equal(t, 1, big.ownSize(refThreshold))
	small := NewContent(sliceOf("abc"), false)
	defer small.Release()
	require.Equal(t, 3, small.ownSize(refThreshold))
}
