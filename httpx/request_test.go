package httpx

import (
	"strings"
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

func TestNewRequestHasAMethodATargetAndNothingElse(t *testing.T) {
	for range 3 {
		r := NewRequest(MethodPut, "/a?b")
		require.Equal(t, MethodPut, r.Method)
		require.Equal(t, "/a?b", string(r.Target()))
		require.True(t, r.KeepAlive)
		require.Zero(t, r.Header.Len())
		require.Zero(t, r.Length)
		require.Nil(t, r.Host())
		require.NoError(t, r.Header.Add("Host", "a"))
		require.Equal(t, "a", string(r.Host()))
		r.Release()
	}
}

func TestATargetCanBeReplacedInAnyRequest(t *testing.T) {
	held := buffer.SharedStats().Live
	long := "/" + strings.Repeat("x", 2*smallHead)
	for _, input := range []string{getRequest, getWith("X: " + long)} {
		for _, target := range []string{"/", "/other", long} {
			r := decodeHead(t, input)
			fields := pairs(&r.Header)
			r.SetTarget(target)
			require.Equal(t, target, string(r.Target()))
			require.Equal(t, fields, pairs(&r.Header))
			require.NoError(t, r.Header.Add("Y", "1"))
			require.Equal(t, target, string(r.Target()))
			r.Release()
		}
	}
	require.Equal(t, held, buffer.SharedStats().Live)
}
