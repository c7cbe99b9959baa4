package nethttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asked returns what a handler gets for a request.
func asked(t *testing.T, request string) *http.Request {
	t.Helper()
	var got *http.Request
	b := handling(t, func(_ http.ResponseWriter, r *http.Request) { got = r })
	b.Feed(request)
	b.over()
	return got
}

func TestRequestKeepsNothingOfTheConnection(t *testing.T) {
	r := asked(t, "GET /"+strings.Repeat("long", 100)+" HTTP/1.1\r\nHost: a.example\r\nX-Long: "+strings.Repeat("v", 300)+"\r\n\r\n")
	require.Equal(t, "/"+strings.Repeat("long", 100), r.URL.Path)
	require.Equal(t, strings.Repeat("v", 300), r.Header.Get("X-Long"))
	require.Equal(t, "a.example", r.Host)
}

func TestRequestWithManyLinesOfOneName(t *testing.T) {
	r := asked(t, "GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\nB: 2\r\na: 3\r\nC: 4\r\nA: 5\r\nB: 6\r\n\r\n")
	require.Equal(t, http.Header{"A": {"1", "3", "5"}, "B": {"2", "6"}, "C": {"4"}}, r.Header)
	r.Header.Add("B", "7")
	r.Header.Add("C", "8")
	require.Equal(t, http.Header{"A": {"1", "3", "5"}, "B": {"2", "6", "7"}, "C": {"4", "8"}}, r.Header)
}

func TestRequestThatAnnouncesTrailersThatMayBeNone(t *testing.T) {
	r := asked(t, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-A, Content-Length,, Host\r\nTrailer: x-b\r\n\r\n0\r\n\r\n")
	require.Equal(t, http.Header{"X-A": nil, "X-B": nil}, r.Trailer)
	require.Empty(t, r.Header)
	require.EqualValues(t, -1, r.ContentLength)
}

func TestRequestIsRefusedForABadTarget(t *testing.T) {
	require.Nil(t, asked(t, "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n"))
	require.Nil(t, asked(t, "GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n"))
}
