package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// payloads are text as each of the types that encoders of frames take.
func payloads(text string) map[string]any {
	rope := buffer.NewComposite()
	for _, r := range text {
		rope.Append(buffer.FromString(string(r)))
	}
	return map[string]any{"buffer": buffer.FromString(text), "rope": rope, "text": NewText(text)}
}

// refuses requires that e refuses text in every form.
func refuses(t *testing.T, e Encoder[any], text string, target error) {
	t.Helper()
	for kind, msg := range payloads(text) {
		ch := pipelinetest.New(t, NewEncoder(e))
		require.ErrorIs(t, ch.Pipeline().Write(msg), target, kind)
		ch.RunPending()
		require.Empty(t, ch.Wire(), kind)
	}
}

// encodes requires that e makes want of text in every form.
func encodes(t *testing.T, e Encoder[any], text, want string) {
	t.Helper()
	for kind, msg := range payloads(text) {
		ch := pipelinetest.New(t, NewEncoder(e))
		ch.WriteOutbound(msg)
		require.Equal(t, want, ch.Wire(), kind)
	}
}

func TestLineEncoderEndsLines(t *testing.T) {
	long := strings.Repeat("long", 100)
	for _, text := range []string{"", "a", "a\rb", long} {
		encodes(t, LineEncoder{}, text, text+"\n")
		encodes(t, LineEncoder{CRLF: true}, text, text+"\r\n")
	}
}

func TestLineEncoderRefusesWhatTheDecoderWouldCut(t *testing.T) {
	for _, text := range []string{"\n", "a\nb", "a\n", "\r"} {
		refuses(t, LineEncoder{}, text, ErrUnframeable)
	}
	refuses(t, LineEncoder{CRLF: true}, "a\nb", ErrUnframeable)
	encodes(t, LineEncoder{CRLF: true}, "a\r", "a\r\r\n")
}

func TestLargePayloadsGoByReference(t *testing.T) {
	ch := pipelinetest.New(t, &sent{}, NewEncoder(LineEncoder{}))
	b := buffer.FromString(strings.Repeat("x", 1000))
	b.Retain()
	ch.Block()
	ch.WriteOutbound(b)
	require.False(t, b.Unique(), "the queue refers to it")
	ch.Unblock()
	require.True(t, b.Unique())
	b.Release()
	require.Equal(t, strings.Repeat("x", 1000)+"\n", ch.Wire())
}

func TestEncodersOfFramesPassOthers(t *testing.T) {
	for _, e := range []Encoder[any]{LineEncoder{}, LengthPrefix{}, VarintPrefix{}, DelimiterEncoder{Delimiters: delims(";")}} {
		ch := pipelinetest.New(t, NewEncoder(e))
		require.NoError(t, ch.Pipeline().Write(&word{"other"}))
		require.Equal(t, "other", pipelinetest.Out[*word](ch).s)
	}
}
