package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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

func TestAnswerNobodyAskedForClosesTheConnection(t *testing.T) {
	c := newConnection(t)
	c.requireWritten("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", NewFullResponse(408))
	require.True(t, c.state.Finished())
}
