package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWholeRequestsAreFramedByTheirBody(t *testing.T) {
	for want, f := range map[string]*FullRequest{
		"GET /p HTTP/1.1\r\nHost: a\r\n\r\n":                                                       fullRequestWith(t, MethodGet, ""),
		"GET /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi":                                fullRequestWith(t, MethodGet, "hi"),
		"POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n":                                 fullRequestWith(t, MethodPost, ""),
		"PUT /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n":                                  fullRequestWith(t, MethodPut, ""),
		"DELETE /p HTTP/1.1\r\nHost: a\r\n\r\n":                                                    fullRequestWith(t, MethodDelete, ""),
		"POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n":    fullRequestWith(t, MethodPost, "hi", "Transfer-Encoding", "chunked"),
		"POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n": fullRequestWith(t, MethodPost, "hi", "Transfer-Encoding", "x, chunked"),
	} {
		newClientSide(t).requireWritten(want, f)
	}
	f := fullRequestWith(t, MethodPost, "hi")
	f.Trailer = headerOf(t, "X", "1")
	newClientSide(t).requireWritten("POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX: 1\r\n\r\n", f)
}

func TestARequestSaysForWhichHostItIs(t *testing.T) {
	newClientSide(t).requireWritten("GET http://b:8/x HTTP/1.1\r\nHost: b:8\r\nX: 1\r\n\r\n", requestWith(t, MethodGet, "http://b:8/x", "X", "1"))
	newClientSide(t).requireWritten("GET / HTTP/1.1\r\nHost: \r\n\r\n", requestWith(t, MethodGet, "/", "Host", ""))
	c := newClientSide(t)
	c.requireNotWritten(refuse(0, "missing host"), NewRequest(MethodGet, "/"))
	c.requireNotWritten(refuse(0, "duplicate host"), requestWith(t, MethodGet, "/", "Host", "a", "Host", "a"))
	c.requireNotWritten(refuse(0, "bad host"), requestWith(t, MethodGet, "/", "Host", "a/b"))
}

func TestNoExpectationWithoutContent(t *testing.T) {
	newClientSide(t).requireWritten("GET / HTTP/1.1\r\nHost: a\r\n\r\n", requestWith(t, MethodGet, "/", "Host", "a", "Expect", "100-continue"))
	newClientSide(t).requireWritten("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n",
		requestWith(t, MethodPost, "/", "Host", "a", "Expect", "100-continue", "Content-Length", "1"))
}

func TestRequestsThatInjectOrContradictThemselvesAreRefusedUnwritten(t *testing.T) {
	withTrailer := fullRequestWith(t, MethodPost, "hi")
	withTrailer.Trailer = headerOf(t, "Content-Length", "1")
	negative := requestWith(t, MethodPost, "/", "Host", "a")
	negative.Length = LengthUntilClose
	tunnel := NewFullRequest(MethodConnect, "a:1")
	tunnel.SetBodyString("x")
	for _, row := range []struct {
		reason string
		m      any
	}{
		{"bad method", requestWith(t, "", "/", "Host", "a")},
		{"bad method", requestWith(t, "GET / HTTP/1.1\r\nX:", "/", "Host", "a")},
		{"bad method", requestWith(t, "GE\x00T", "/", "Host", "a")},
		{"bad request target", requestWith(t, MethodGet, "", "Host", "a")},
		{"bad request target", requestWith(t, MethodGet, "/a b", "Host", "a")},
		{"bad request target", requestWith(t, MethodGet, "/a\r\nX: y", "Host", "a")},
		{"bad request target", requestWith(t, MethodGet, "/a\nb", "Host", "a")},
		{"bad request target", requestWith(t, MethodGet, "/a\x00", "Host", "a")},
		{"bad request target", requestWith(t, MethodGet, "/\xe9", "Host", "a")},
		{"bad request target", requestWith(t, MethodGet, "*", "Host", "a")},
		{"bad request target", requestWith(t, MethodGet, "http://user@a/", "Host", "a")},
		{"bad request target", requestWith(t, MethodConnect, "/", "Host", "a")},
		{"duplicate content-length", fullRequestWith(t, MethodPost, "hi", "Content-Length", "2", "Content-Length", "2")},
		{"bad content-length", fullRequestWith(t, MethodPost, "hi", "Content-Length", "+2")},
		{"body longer than content-length", fullRequestWith(t, MethodPost, "hi", "Content-Length", "1")},
		{"body shorter than content-length", fullRequestWith(t, MethodPost, "hi", "Content-Length", "3")},
		{"both length and chunked", fullRequestWith(t, MethodPost, "hi", "Content-Length", "2", "Transfer-Encoding", "chunked")},
		{"final coding is not chunked", fullRequestWith(t, MethodPost, "hi", "Transfer-Encoding", "gzip")},
		{"final coding is not chunked", fullRequestWith(t, MethodPost, "hi", "Transfer-Encoding", "chunked, chunked")},
		{"forbidden trailer", withTrailer},
		{"bad length", negative},
		{"content in CONNECT", tunnel},
		{"content in TRACE", fullRequestWith(t, MethodTrace, "x")},
		{"content in TRACE", fullRequestWith(t, MethodTrace, "", "Transfer-Encoding", "chunked")},
	} {
		c := newClientSide(t)
		c.requireNotWritten(refuse(0, row.reason), row.m)
		c.requireWritten("GET / HTTP/1.1\r\nHost: a\r\n\r\n", requestWith(t, MethodGet, "/", "Host", "a"))
	}
}

func TestTheAnswerLearnsWhatItAnswers(t *testing.T) {
	closing := NewRequest(MethodConnect, "a:1")
	closing.KeepAlive = false
	for want, r := range map[exchange]*Request{
		exchangeKeepAlive:                   requestWith(t, MethodGet, "/", "Host", "a", "Upgrade", "x"),
		exchangeHead | exchangeKeepAlive:    requestWith(t, MethodHead, "/", "Host", "a"),
		exchangeConnect | exchangeUpgrade:   closing,
		exchangeUpgrade | exchangeKeepAlive: requestWith(t, MethodGet, "/", "Host", "a", "Upgrade", "x", "Connection", "upgrade"),
	} {
		c := newClientSide(t)
		_, err := c.write(r)
		require.NoError(t, err)
		require.Equal(t, want, c.state.peek())
	}
}

func TestAnOriginServerIsAskedInOriginForm(t *testing.T) {
	for target, want := range map[string]string{
		"http://b:8/x?y#z": "/x?y", "http://b:8": "/", "http://b:8?q": "/?q", "http://b:8#z": "/", "/x": "/x",
	} {
		c := newClientSide(t)
		c.encoder.Origin = true
		c.requireWritten("GET "+want+" HTTP/1.1\r\nHost: b:8\r\n\r\n", requestWith(t, MethodGet, target, hostUnless(target)...))
	}
	c := newClientSide(t)
	c.encoder.Origin = true
	c.requireWritten("OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n", requestWith(t, MethodOptions, "http://b"))
	c.requireWritten("GET / HTTP/1.1\r\nHost: a\r\n\r\n", requestWith(t, MethodGet, "http://b/", "Host", "a"))
	c.requireWritten("CONNECT b:8 HTTP/1.1\r\nHost: b:8\r\n\r\n", requestWith(t, MethodConnect, "b:8"))
}

// hostUnless is a Host field for a target that names no host.
func hostUnless(target string) []string {
	if target[0] == '/' {
		return []string{"Host", "b:8"}
	}
	return nil
}
