package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestMeasureMarksWhatNeedsACloserLook(t *testing.T) {
	m, err := rulesFor(Version12, CommandSend).measure(CommandSend, Headers{{"a", "b"}, {"a:", "b"}, {"a", "\t"}, {"content-length", "007"}})
	require.NoError(t, err)
	require.Equal(t, measured{size: len("SEND\na:b\na\\c:b\na:\t\ncontent-length:007\n"), declared: 7, marked: 0b0110}, m)
	require.Equal(t, len("a:b\na::b\n"), Headers{{"a", "b"}, {"a:", "b"}}.octets())
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
