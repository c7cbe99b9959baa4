package httpx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// describe answers with what it was asked.
func describe(_ *pipeline.Context, x *httpx.Exchange) error {
	q := x.Request
	return x.RespondText(200, fmt.Sprintf("%s target=%s path=%s host=%s.", q.Method, q.Target(), q.Path(), q.Host()))
}

// What the rules say of whole connections, request in, wire out. RFC 9112, 2 to 3 and 9; RFC 9110, 7 and 9.
func TestServerFollowsTheRules(t *testing.T) {
	const host = "Host: a.example\r\n"
	for name, c := range map[string]struct {
		feed string
		want []string // in the wire, in this order
		open bool     // afterwards
	}{
		"origin-form":                 {"GET /p?q HTTP/1.1\r\n" + host + "\r\n", []string{"200", "GET target=/p?q path=/p host=a.example."}, true},
		"absolute-form overrides":     {"GET http://b.example:8/p HTTP/1.1\r\n" + host + "\r\n", []string{"200", "path=/p host=b.example:8."}, true},
		"absolute-form without path":  {"GET http://b.example HTTP/1.1\r\n" + host + "\r\n", []string{"200", "path=/ host=b.example."}, true},
		"absolute-form needs a Host":  {"GET http://b.example/ HTTP/1.1\r\n\r\n", []string{"400"}, false},
		"asterisk of OPTIONS":         {"OPTIONS * HTTP/1.1\r\n" + host + "\r\n", []string{"200", "OPTIONS target=* path= host=a.example."}, true},
		"asterisk of others":          {"GET * HTTP/1.1\r\n" + host + "\r\n", []string{"400"}, false},
		"authority of CONNECT":        {"CONNECT b.example:443 HTTP/1.1\r\n" + host + "\r\n", []string{"200"}, true},
		"a URI without an authority":  {"GET b.example:443 HTTP/1.1\r\n" + host + "\r\n", []string{"200", "path= host=a.example."}, true},
		"CONNECT needs a port":        {"CONNECT b.example HTTP/1.1\r\n" + host + "\r\n", []string{"400"}, false},
		"CONNECT to a path":           {"CONNECT /p HTTP/1.1\r\n" + host + "\r\n", []string{"400"}, false},
		"TRACE is the handler's":      {"TRACE /p HTTP/1.1\r\n" + host + "Cookie: secret\r\n\r\n", []string{"200", "TRACE target=/p"}, true},
		"any other method as well":    {"FROB /p HTTP/1.1\r\n" + host + "\r\n", []string{"200", "FROB target=/p"}, true},
		"no Host":                     {"GET / HTTP/1.1\r\n\r\n", []string{"400"}, false},
		"no Host in HTTP/1.0":         {"GET / HTTP/1.0\r\n\r\n", []string{"200", "Connection: close"}, false},
		"HTTP/1.0 that stays":         {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", []string{"200", "Connection: keep-alive"}, true},
		"HTTP/1.0 that stays a while": {strings.Repeat("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 2) + "GET / HTTP/1.0\r\n\r\n", []string{"200", "200", "200", "Connection: close"}, false},
		"close wins over keep-alive":  {"GET / HTTP/1.1\r\n" + host + "Connection: keep-alive, close\r\n\r\n", []string{"200", "Connection: close"}, false},
		"nothing behind a close":      {"GET /1 HTTP/1.1\r\n" + host + "Connection: close\r\n\r\nGET /2 HTTP/1.1\r\n" + host + "\r\n", []string{"200", "Connection: close", "target=/1"}, false},
		"nothing behind an error":     {"GET /1 HTTP/1.1\r\n" + host + "\r\nGET /2 HTTP/1.1\r\nbad line\r\n\r\nGET /3 HTTP/1.1\r\n" + host + "\r\n", []string{"200", "target=/1", "400", "Connection: close"}, false},
		"the version before fields":   {"GET / HTTP/2.0\r\nbad line\r\n\r\n", []string{"505"}, false},
		"the line before all else":    {"GET  / HTTP/2.0\r\n\r\n", []string{"400"}, false},
		"the length before fields":    {"GET /" + strings.Repeat("x", 9000) + " HTTP/2.0\r\n\r\n", []string{"414"}, false},
		"codings that nobody knows":   {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n", []string{"501"}, false},
		"a newer version of ours":     {"GET / HTTP/1.9\r\n" + host + "\r\n", []string{"HTTP/1.1 200"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, whole := range []bool{true, false} {
				ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: whole}, httpx.Init(httpx.ServerConfig{Handle: describeOrOpen}))
				for rest := c.feed; rest != "" && ch.Channel().IsOpen(); rest = rest[1:] {
					if whole {
						ch.Feed(rest)
						break
					}
					ch.Feed(rest[:1])
				}
				wire := ch.Wire()
				rest := wire
				for _, part := range c.want {
					_, after, found := strings.Cut(rest, part)
					require.True(t, found, "%q in %q", part, wire)
					rest = after
				}
				require.NotContains(t, rest, "HTTP/1.1 ", "no more answers")
				require.NotContains(t, wire, "secret")
				require.Equal(t, c.open, ch.Channel().IsOpen(), wire)
			}
		})
	}
}

// describeOrOpen is describe that opens tunnels.
func describeOrOpen(ctx *pipeline.Context, x *httpx.Exchange) error {
	if x.Request.Method == httpx.MethodConnect {
		return x.Upgrade(httpx.NewResponse(200), &shouter{})
	}
	return describe(ctx, x)
}
