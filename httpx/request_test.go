package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestRequestTellsWhichHostItIsFor(t *testing.T) {
	for head, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: a:80\r\n\r\n":                            "a:80",
		"GET http://b:81/p?q HTTP/1.1\r\nHost: a\r\n\r\n":                 "b:81",
		"GET http://b?http://c/ HTTP/1.1\r\nHost: a\r\n\r\n":              "b",
		"GET urn:x HTTP/1.1\r\nHost: a\r\n\r\n":                           "a",
		"CONNECT c:443 HTTP/1.1\r\nHost: a\r\n\r\n":                       "c:443",
		"OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n":                  "[::1]:8080",
		"GET / HTTP/1.0\r\n\r\n":                                          "",
		"GET /http://b/ HTTP/1.1\r\nHost: a\r\n\r\n":                      "a",
		"GET / HTTP/1.1\r\nX-Pad: 1\r\nHost: " + "a.example" + "\r\n\r\n": "a.example",
	} {
		r := decodeHead(t, head)
		require.Equal(t, want, string(r.Host()), "%q", head)
		r.Release()
	}
}

func TestRequestIsReleasedOnce(t *testing.T) {
	r := decodeHead(t, getWith())
	buffer.Retain(r)
	buffer.Release(r)
	require.Equal(t, "/", string(r.Target()))
	buffer.Release(r)
	require.Panics(t, r.Release)
	require.Panics(t, r.Retain)
}

func TestReusedRequestKeepsNothingOfTheOneBefore(t *testing.T) {
	r := decodeHead(t, "PUT /old HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n"+
		"Connection: upgrade\r\nUpgrade: x\r\n\r\n")
	require.True(t, r.ExpectContinue)
	require.True(t, r.Upgrade)
	r.Release()
	for range 10 { // one of these is the same memory, unless the pool was emptied
		r := decodeHead(t, "GET / HTTP/1.0\r\n\r\n")
		require.Equal(t, MethodGet, r.Method)
		require.Zero(t, r.Length)
		require.False(t, r.KeepAlive || r.ExpectContinue || r.Upgrade)
		require.Zero(t, r.Header.Len())
		require.Zero(t, r.Header.present)
		r.Release()
	}
}
