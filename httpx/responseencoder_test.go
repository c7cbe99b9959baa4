package httpx

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	getRequest  = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	headRequest = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
	oldRequest  = "GET / HTTP/1.0\r\n\r\n"
	oldKeeps    = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
)

// asked is a connection that has decoded request.
func asked(tb testing.TB, request string) *connection {
	tb.Helper()
	c := newConnection(tb)
	c.feed([]byte(request))
	require.Empty(tb, c.result.reason)
	return c
}

func responseWith(tb testing.TB, status int, fields ...string) *Response {
	tb.Helper()
	r := NewResponse(status)
	r.Header.AddAll(headerOf(tb, fields...))
	return r
}

func fullWith(tb testing.TB, status int, body string, fields ...string) *FullResponse {
	tb.Helper()
	f := NewFullResponse(status)
	f.Header.AddAll(headerOf(tb, fields...))
	f.SetBodyString(body)
	return f
}

func contentOf(text string) *Content {
	b := buffer.FromString(text)
	defer b.Release()
	return NewContent(b.Slice(0, b.Len()))
}

func TestStreamedBodyMustHaveItsLength(t *testing.T) {
	c := asked(t, getRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", responseWith(t, 200, "Content-Length", "3"), contentOf("ab"))
	c.requireNotWritten(refuse(0, "body longer than content-length"), contentOf("cd"))
	c.requireNotWritten(refuse(0, "body shorter than content-length"), EmptyLast)
	c.requireNotWritten(ErrOrder, NewFullResponse(200))
	c.requireWritten("c", contentOf("c"), EmptyLast)
}

func TestMessagesOutOfOrderAreRefused(t *testing.T) {
	c := asked(t, getRequest+getRequest)
	c.requireNotWritten(ErrOrder, contentOf("x"))
	c.requireNotWritten(ErrOrder, EmptyLast)
	c.requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", NewResponse(200))
	c.requireNotWritten(ErrOrder, NewResponse(200))
	c.requireNotWritten(ErrOrder, NewFullResponse(200))
	c.requireNotWritten(ErrOrder, NewResponse(100))
	c.requireNotWritten(ErrOrder, new(Request))
	c.requireWritten("0\r\n\r\n", EmptyLast)
	c.requireNotWritten(ErrOrder, EmptyLast)
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NewFullResponse(200))
	c.requireNotWritten(ErrOrder, NewResponse(100))
}

func TestInterimResponsesComeBeforeTheFinalOne(t *testing.T) {
	c := asked(t, "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
	c.requireWritten("HTTP/1.1 100 Continue\r\n\r\n", NewResponse(100), EmptyLast)
	c.requireWritten("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", fullWith(t, 103, "dropped", "Link", "</a>", "Content-Length", "7"))
	require.Equal(t, 1, c.state.Pending())
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NewFullResponse(200))

	c = asked(t, oldKeeps)
	c.requireWritten("", NewResponse(100), EmptyLast, fullWith(t, 103, ""))
	require.Equal(t, 1, c.state.Pending(), "an old client gets none")
}

func TestNothingIsHTTPBehindASwitch(t *testing.T) {
	c := asked(t, upgradeRequest)
	c.requireWritten("HTTP/1.1 101 Switching Protocols\r\n\r\n", NewResponse(101), EmptyLast)
	c.requireNotWritten(ErrOrder, EmptyLast)
	c.requireNotWritten(ErrOrder, NewFullResponse(200))
	c.requireNotWritten(ErrOrder, contentOf("x"))
	require.False(t, c.state.Finished())
}

func TestEncoderAloneAnswersAPlainGet(t *testing.T) {
	var out buffer.Writer
	e := NewResponseEncoder(nil)
	for range 2 {
		out.Reset(nil, 0)
		require.NoError(t, e.Encode(&out, NewFullResponse(204)))
		got, _ := written(&out, nil)
		require.Equal(t, "HTTP/1.1 204 No Content\r\n\r\n", got)
	}
	out.Discard()
}

func TestTrailersFollowAChunkedBodyOnly(t *testing.T) {
	last := &Content{Last: true, Trailer: headerOf(t, "X-T", "1")}
	last.Retain() // it is written twice
	asked(t, getRequest).requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-T: 1\r\n\r\n", NewResponse(200), last)
	asked(t, oldRequest).requireWritten("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", NewResponse(200), last)
	c := asked(t, getRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", NewResponse(200))
	c.requireNotWritten(refuse(0, "forbidden trailer"), &Content{Last: true, Trailer: headerOf(t, "content-length", "1")})
}

func TestSmallBodiesAreCopiedAndLargeOnesAreNot(t *testing.T) {
	for name, row := range map[string]struct {
		chunked bool
		n       int
		pieces  int
	}{
		"small": {false, copiedBody, 1}, "large": {false, copiedBody + 1, 2},
		"small chunk": {true, copiedBody, 1}, "large chunk": {true, copiedBody + 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			held := buffer.SharedStats().Live
			var out buffer.Writer
			e := NewResponseEncoder(nil)
			f := NewFullResponse(200)
			if row.chunked {
				require.NoError(t, f.Header.Add("Transfer-Encoding", "chunked"))
			}
			f.SetBodySlice(sliceOf(row.n))
			out.Reset(nil, e.Size(f))
			require.NoError(t, e.Encode(&out, f))
			f.Release()
			got := out.Take()
			pieces := 1
			if c, ok := got.(*buffer.Composite); ok {
				pieces = c.Parts()
			}
			require.Equal(t, row.pieces, pieces)
			buffer.Release(got)
			require.Equal(t, held, buffer.SharedStats().Live)
		})
	}
}

// Size is what the driver asks the allocator for, so it must never be less than what is written.
func TestSizeIsEnoughAndNotMuchMore(t *testing.T) {
	messages := map[string][]any{
		getRequest: {fullWith(t, 200, "hello", "A", "1"), fullWith(t, 404, "", "Content-Length", "0")},
		oldKeeps:   {fullWith(t, 599, strings.Repeat("x", 3000))},
		getRequest + "\r\n": {
			responseWith(t, 200, "A", "1"), contentOf(strings.Repeat("x", copiedBody)), contentOf("a"),
			&Content{Last: true, Trailer: headerOf(t, "X", "1")},
		},
	}
	for request, list := range messages {
		c := asked(t, strings.Repeat(request, 2))
		for _, m := range list {
			size := c.encoder.Size(m)
			got, err := c.write(m)
			require.NoError(t, err)
			require.LessOrEqual(t, len(got), size)
			require.LessOrEqual(t, size, len(got)+addedBytes+chunkBytes(0)+len(lastChunk)+2, "%T", m)
		}
	}
	require.Zero(t, NewResponseEncoder(nil).Size("something else"))
}

func TestEncoderTakesWhatItAccepts(t *testing.T) {
	e := NewResponseEncoder(nil)
	for _, typ := range e.Takes() {
		require.True(t, e.Accepts(reflect.Zero(typ).Interface()), typ)
	}
	b := buffer.FromString("octets behind an upgrade")
	defer b.Release()
	for _, other := range []any{b, new(Request), "text", nil, new(State)} {
		require.False(t, e.Accepts(other), "%T", other)
	}
}
