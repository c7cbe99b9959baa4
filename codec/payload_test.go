package codec

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestFirstAtFindsADelimiterAcrossPieces(t *testing.T) {
	few := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 5, -1)
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(few, 0, 6).Draw(t, "pieces")
		end := few.Draw(t, "end")
		delim := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 1, 4, -1).Draw(t, "delimiter")
		rope := buffer.NewComposite()
		defer rope.Release()
		for _, p := range pieces {
			rope.Append(buffer.FromString(p))
		}
		all := strings.Join(pieces, "") + end
		require.Equal(t, strings.Index(all, delim), firstAt(rope, []byte(end), []byte(delim)))
		require.Equal(t, strings.Index(all, delim), firstAt(NewText(strings.Join(pieces, "")), []byte(end), []byte(delim)))
	})
}

func TestRopesAreAppendedByReferenceOrCopied(t *testing.T) {
	large := strings.Repeat("0123456789", 100)
	wholePart := buffer.FromString(large)
	cutFrom := buffer.FromString(large)
	rope := buffer.NewComposite()
	wholePart.Retain()
	rope.Append(wholePart)
	rope.AppendSlice(cutFrom.Slice(10, 500))
	var out buffer.Writer
	out.Reset(nil, 0)
	require.Equal(t, 1500, payloadLen(rope))
	appendPayload(&out, rope)
	rope.Release()
	require.False(t, wholePart.Unique(), "the Writer refers to a whole buffer")
	require.True(t, cutFrom.Unique(), "a part of one is copied")
	msg := out.Take()
	require.Equal(t, large+large[10:510], taken(t, msg))
	require.True(t, wholePart.Unique())
	wholePart.Release()
	cutFrom.Release()
}

func TestPartsOfPayloads(t *testing.T) {
	text := strings.Repeat("0123456789", 60)
	for _, c := range []struct{ off, n int }{{0, 0}, {0, 600}, {3, 5}, {100, 400}, {600, 0}} {
		for kind, msg := range payloads(text) {
			var out buffer.Writer
			out.Reset(nil, 0)
			appendPart(&out, msg, c.off, c.n)
			require.Equal(t, text[c.off:c.off+c.n], taken(t, out.Take()), kind)
			require.Equal(t, len(text), payloadLen(msg), "the payload is as it was")
			var all bytes.Buffer
			eachPiece(msg, func(p []byte) bool { all.Write(p); return true })
			require.Equal(t, text, all.String())
			buffer.Release(msg)
		}
	}
}

func TestOtherMessagesAreNoPayload(t *testing.T) {
	require.False(t, isPayload(&word{"x"}))
	require.Zero(t, payloadLen(&word{"x"}))
	require.Zero(t, sizeOf(&word{"x"}))
	require.Len(t, payloadTypes(), 3)
}
