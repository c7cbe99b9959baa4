package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// sliceOf returns s as a slice with one reference.
func sliceOf(s string) buffer.Slice {
	b := buffer.FromString(s)
	defer b.Release()
	return b.Slice(0, b.Len())
}

func TestContentReleasesItsDataWithTheLastReference(t *testing.T) {
	live := buffer.SharedStats().Live
	for _, c := range []*ContentSubframe{
		NewContent(sliceOf(strings.Repeat("x", 500)), true),
		{Data: sliceOf("small"), Last: true},
		{},
	} {
		c.Retain()
		c.Release()
		c.Release()
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestSubframesReleasedTwicePanic(t *testing.T) {
	h := &HeadersSubframe{}
	h.Retain()
	h.Release()
	h.Release()
	require.PanicsWithValue(t, "stomp: headers subframe released twice", h.Release)
	c := &ContentSubframe{}
	c.Release()
	require.PanicsWithValue(t, "stomp: content subframe released twice", c.Release)
}

func TestHeadersSubframeComesBackFromThePoolEmpty(t *testing.T) {
	h := NewHeaders(CommandSend, "a", "1")
	require.Equal(t, Headers{{"a", "1"}}, h.Headers)
	own := h.own
	h.Release()
	require.Empty(t, own[:1][0])
	g := NewHeaders(CommandAck)
	defer g.Release()
	require.Empty(t, g.Headers)
}

func TestSubframeStringsShowNoContent(t *testing.T) {
	h := &HeadersSubframe{Command: CommandSend, Headers: Headers{{"a", "secret"}}}
	require.Equal(t, "SEND (1 headers, ...)", h.String())
	c := NewContent(sliceOf("secret"), false)
	defer c.Release()
	require.Equal(t, "content (6 B)", c.String())
	require.Equal(t, "content (0 B, last)", (&ContentSubframe{Last: true}).String())
}
