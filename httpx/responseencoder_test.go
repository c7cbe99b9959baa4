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

func TestAnswerIsFramedForWhoAskedIt(t *testing.T) {
	const body = "hello"
	for name, row := range map[string]struct {
		request  string
		whole    string // one FullResponse, no fields
		streamed string // the same without a known length
	}{
		"1.1": {
			getRequest,
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		},
		"1.1 that closes": {
			getWith("Connection: close"),
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
			"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		},
		"1.0": {
			oldRequest,
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
			"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
		},
		"1.0 that keeps alive": {
			oldKeeps,
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello",
			"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
		},
		"HEAD": {
			headRequest,
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
			"HTTP/1.1 200 OK\r\n\r\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := asked(t, row.request)
			c.requireWritten(row.whole, fullWith(t, 200, body))
			closes := strings.Contains(row.whole, "Connection: close")
			require.Equal(t, closes, c.state.Finished())

			c = asked(t, row.request)
			c.requireWritten(row.streamed, NewResponse(200), contentOf(body[:5]), EmptyLast)
			require.Equal(t, strings.Contains(row.streamed, "Connection: close"), c.state.Finished())
			require.Zero(t, c.state.Pending())
		})
	}
}

func TestStatusesWithoutABodyHaveNone(t *testing.T) {
	for status, want := range map[int]string{
		204: "HTTP/1.1 204 No Content\r\nX: 1\r\n\r\n",
		205: "HTTP/1.1 205 Reset Content\r\nX: 1\r\nContent-Length: 0\r\n\r\n",
		304: "HTTP/1.1 304 Not Modified\r\nX: 1\r\nContent-Length: 5\r\n\r\n",
	} {
		fields := []string{"X", "1", "Content-Length", "5"}
		asked(t, getRequest).requireWritten(want, fullWith(t, status, "hello", fields...))
		asked(t, getRequest).requireWritten(want, responseWith(t, status, fields...), contentOf("hello"), EmptyLast)
	}
	asked(t, getRequest).requireWritten("HTTP/1.1 304 Not Modified\r\n\r\n", NewFullResponse(304))
	asked(t, headRequest).requireWritten("HTTP/1.1 200 OK\r\n\r\n", NewFullResponse(200))
	asked(t, oldKeeps).requireWritten("HTTP/1.1 304 Not Modified\r\nConnection: keep-alive\r\n\r\n",
		fullWith(t, 304, "", "Transfer-Encoding", "chunked"))
}

func TestFieldsThatFrameAreTakenAtTheirWord(t *testing.T) {
	asked(t, getRequest).requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		fullWith(t, 200, "hello", "Transfer-Encoding", "chunked"))
	asked(t, getRequest).requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		fullWith(t, 200, "", "Transfer-Encoding", "chunked"))
	asked(t, getRequest).requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nzz\r\n0\r\n\r\n",
		responseWith(t, 200, "Transfer-Encoding", "gzip, chunked"), contentOf("zz"), EmptyLast)
	asked(t, oldKeeps).requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello",
		fullWith(t, 200, "hello", "Transfer-Encoding", "chunked"))
	asked(t, oldKeeps).requireWritten("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
		responseWith(t, 200, "Transfer-Encoding", "chunked"), contentOf("hello"), EmptyLast)
	asked(t, getRequest).requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		responseWith(t, 200, "Content-Length", "5"), contentOf("he"), contentOf(""), contentOf("llo"), EmptyLast)
}

func TestConnectionFieldOfTheHandlerIsHeeded(t *testing.T) {
	c := asked(t, getRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\nConnection: x, close\r\nContent-Length: 0\r\n\r\n",
		fullWith(t, 200, "", "Connection", "x, close"))
	require.True(t, c.state.Finished())
	c = asked(t, oldKeeps)
	c.requireWritten("HTTP/1.1 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n",
		fullWith(t, 200, "", "Connection", "Keep-Alive"))
	require.False(t, c.state.Finished())
	c = asked(t, oldRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
		fullWith(t, 200, "", "Connection", "keep-alive"))
	require.True(t, c.state.Finished())
}

func TestContradictingAnswersAreRefusedUnwritten(t *testing.T) {
	for reason, m := range map[string]any{
		"bad status":                              fullWith(t, 99, ""),
		"bad reason phrase":                       &FullResponse{Response: Response{Status: 200, Reason: "OK\r\nX: 1"}},
		"duplicate content-length":                fullWith(t, 200, "", "Content-Length", "0", "Content-Length", "0"),
		"bad content-length":                      fullWith(t, 200, "", "Content-Length", "x"),
		"body longer than content-length":         fullWith(t, 200, "hello", "Content-Length", "4"),
		"body shorter than content-length":        fullWith(t, 200, "hello", "Content-Length", "6"),
		"both length and chunked":                 responseWith(t, 200, "Content-Length", "4", "Transfer-Encoding", "chunked"),
		"final coding is not chunked":             responseWith(t, 200, "Transfer-Encoding", "chunked, gzip"),
		"switching protocols without being asked": responseWith(t, 101),
	} {
		c := asked(t, getRequest)
		c.requireNotWritten(refuse(0, reason), m)
		require.Equal(t, 1, c.state.Pending())
		c.requireWritten("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", NewFullResponse(500))
	}
	for _, status := range []int{304, 200} { // also when the body is not sent
		c := asked(t, headRequest)
		c.requireNotWritten(refuse(0, "final coding is not chunked"), fullWith(t, status, "", "Transfer-Encoding", "gzip"))
		c.requireNotWritten(refuse(0, "bad content-length"), fullWith(t, status, "", "Content-Length", "x"))
	}
	c := asked(t, oldRequest)
	c.requireNotWritten(refuse(0, "transfer-encoding in 1.0"), responseWith(t, 200, "Transfer-Encoding", "gzip, chunked"))
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
	c.requireWritten("", NewResponse(100), fullWith(t, 103, ""), EmptyLast)
	require.Equal(t, 1, c.state.Pending(), "an old client gets none")
}

func TestAnswerNobodyAskedForClosesTheConnection(t *testing.T) {
	c := newConnection(t)
	c.requireWritten("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", NewFullResponse(408))
	require.True(t, c.state.Finished())
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
	last := &LastContent{Trailer: *headerOf(t, "X-T", "1")}
	asked(t, getRequest).requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-T: 1\r\n\r\n", NewResponse(200), last)
	asked(t, oldRequest).requireWritten("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", NewResponse(200), last)
	c := asked(t, getRequest)
	c.requireWritten("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", NewResponse(200))
	c.requireNotWritten(refuse(0, "forbidden trailer"), &LastContent{Trailer: *headerOf(t, "content-length", "1")})
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
			&LastContent{Trailer: *headerOf(t, "X", "1")},
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
