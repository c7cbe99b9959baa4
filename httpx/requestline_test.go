package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTargetsHaveOneOfFourForms(t *testing.T) {
	for line, ok := range map[string]bool{
		"GET /":                     true,
		"GET //x":                   true,
		"GET /a?b=c|d":              true,
		"GET http://b":              true,
		"GET HTTP+1.2-x://b:80/p":   true,
		"GET urn:x":                 true,
		"GET http://u@b/":           false,
		"GET http:///p":             false,
		"GET http://b c/":           false,
		"GET http://b\"/":           false,
		"GET p":                     false,
		"GET :x":                    false,
		"GET 1http://b/":            false,
		"GET ht_tp://b/":            false,
		"GET http:":                 false,
		"GET *":                     false,
		"OPTIONS *":                 true,
		"OPTIONS /":                 true,
		"OPTIONS *x":                false,
		"CONNECT a:443":             true,
		"CONNECT [::1]:443":         true,
		"CONNECT a":                 false,
		"CONNECT :443":              false,
		"CONNECT a:":                false,
		"CONNECT a:x":               false,
		"CONNECT a:123456":          false,
		"CONNECT a/b:1":             false,
		"CONNECT /":                 false,
		"CONNECT http://a:443/":     false,
		"GET /\x7f":                 false,
		"GET /\xc3\xa9":             false,
		"GET /aaaaaaaaaaaaaaa\x01b": false,
	} {
		got := decodeRequests(t, DecoderConfig{}, line+" HTTP/1.1\r\nHost: a\r\n\r\n")
		require.Equal(t, ok, got.reason == "", "%q: %s", line, got.reason)
		if !ok {
			require.Equal(t, 400, got.status)
		}
	}
}

func TestRequestLinesAreRefusedWithTheirReason(t *testing.T) {
	for line, want := range map[string]result{
		"GET":                   {status: 400, reason: "bad request line"},
		"GET /":                 {status: 400, reason: "bad request line"},
		" GET / HTTP/1.1":       {status: 400, reason: "bad request line"},
		"GET  HTTP/1.1":         {status: 400, reason: "bad request line"},
		"GET /a b HTTP/1.1":     {status: 400, reason: "bad request line"},
		"G(T / HTTP/1.1":        {status: 400, reason: "bad method"},
		"GET / HTTP/1.1 ":       {status: 400, reason: "bad request line"},
		"GET / HTTP/1.1\r":      {status: 400, reason: "bare CR"},
		"GET\r/ HTTP/1.1":       {status: 400, reason: "bare CR"},
		"GET / ":                {status: 400, reason: "bad version"},
		"GET / HTTP/x.1":        {status: 400, reason: "bad version"},
		"GET / HTTP/2.0":        {status: 505, reason: "version not supported"},
		"GET / HTTP/0.9":        {status: 505, reason: "version not supported"},
		"PRI * HTTP/2.0":        {status: 505, reason: "version not supported"},
		"\x16\x03\x01\x02\x00/": {status: 400, reason: "bad request line"},
	} {
		requireRefused(t, line+"\r\nHost: a\r\n\r\n", want.status, want.reason)
	}
}

func TestBlankRunsSeparateWhenAllowed(t *testing.T) {
	config := DecoderConfig{AllowBlankRuns: true}
	got := requireAccepted(t, config, "GET \t  /x\t\tHTTP/1.1\r\nHost: a\r\n\r\n")
	require.Equal(t, "GET /x HTTP/1.1", got.Method+" "+got.Target+" "+got.Version)
	for _, line := range []string{"", " GET / HTTP/1.1", "GET  ", "GET", "GET /", "GET / x HTTP/1.1", "GET / HTTP/1.1 "} {
		got := decodeRequests(t, config, "\r\n"+line+"x\r\nHost: a\r\n\r\n")
		require.Equal(t, 400, got.status, "%q", line)
	}
}
