package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestFrameReleasesItsBodyWithTheLastReference(t *testing.T) {
	live := buffer.SharedStats().Live
	f := NewFrame(CommandSend, HeaderDestination, "/q")
	f.Body.AppendString("hello")
	f.Retain()
	f.Release()
	require.Equal(t, "hello", f.Body.String())
	require.Equal(t, live+1, buffer.SharedStats().Live)
	f.Release()
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestFrameLiteralIsCountedToo(t *testing.T) {
	live := buffer.SharedStats().Live
	own := Headers{{"destination", "/q"}}
	f := &Frame{Command: CommandSend, Headers: own}
	f.Body.AppendString(strings.Repeat("x", 1000))
	buffer.Retain(f)
	buffer.Release(f)
	buffer.Release(f)
	require.Equal(t, live, buffer.SharedStats().Live)
	require.Equal(t, "/q", own.Get("destination"), "a literal's headers are the caller's")
}

func TestFrameReleasedTwicePanics(t *testing.T) {
	for _, f := range []*Frame{{Command: CommandSend}, NewFrame(CommandSend)} {
		f.refs = buffer.Refs{} // as a literal: so that nobody gets it in between
		f.Release()
		require.PanicsWithValue(t, "stomp: frame released twice", f.Release)
	}
	f := &Frame{}
	f.Release()
	require.PanicsWithValue(t, "stomp: frame retained after its release", f.Retain)
}

func TestNewFrameNeedsAValueForEachName(t *testing.T) {
	odd := []string{"a"}
	require.PanicsWithValue(t, "stomp: NewFrame: a header name without a value", func() { NewFrame(CommandSend, odd...) })
	require.PanicsWithValue(t, "stomp: NewHeaders: a header name without a value", func() { NewHeaders(CommandSend, odd...) })
}

func TestFrameComesBackFromThePoolEmpty(t *testing.T) {
	for range 100 {
		f := NewFrame(CommandSend, "a", "1", "b", "2")
		f.Body.AppendString("x")
		own := f.own
		f.Release()
		require.Empty(t, own[:1][0], "a released frame keeps strings alive")
		g := NewFrame(CommandAck)
		require.Equal(t, CommandAck, g.Command)
		require.Empty(t, g.Headers)
		require.Zero(t, g.Body.Len())
		g.Release()
	}
}

func TestFrameLeavesHeadersOfTheCallerAlone(t *testing.T) {
	common := Headers{{"a", "1"}, {"b", "2"}}
	f := NewFrame(CommandSend)
	f.Headers = common
	f.Release()
	require.Equal(t, Headers{{"a", "1"}, {"b", "2"}}, common)
}

func TestFrameDropsALargeHeaderList(t *testing.T) {
	f := NewFrame(CommandSend, make([]string, 2*(maxKept+1))...)
	require.Len(t, f.Headers, maxKept+1)
	f.Release()
	require.Nil(t, f.own)
}

func TestFrameCloneIsIndependent(t *testing.T) {
	live := buffer.SharedStats().Live
	f := NewFrame(CommandMessage, "a", "1")
	f.Body.AppendString(strings.Repeat("x", 300))
	f.Body.AppendString("tail")
	c := f.Clone()
	c.Headers.Set("a", "2")
	c.Headers.Add("b", "3")
	c.Command = CommandSend
	require.Equal(t, Headers{{"a", "1"}}, f.Headers)
	require.Equal(t, CommandMessage, f.Command)
	require.Same(t, &f.Body.Part(0)[0], &c.Body.Part(0)[0], "the body was copied")
	f.Release()
	require.Equal(t, strings.Repeat("x", 300)+"tail", c.Body.String())
	c.Release()
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestFrameStringShowsNoContent(t *testing.T) {
	f := NewFrame(CommandConnect, HeaderPasscode, "secret")
	defer f.Release()
	require.Equal(t, "CONNECT (1 headers, 0 B)", f.String())
}
