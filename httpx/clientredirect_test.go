package httpx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
)

func moved(status int, location string) string {
	return fmt.Sprintf("HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 3\r\n\r\nold", status, location)
}

func TestDoFollowsNoRedirectionByDefault(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	from := n.do(t.Context(), getHost())
	n.asked(0)
	n.answer(0, moved(302, "/next"))
	got := n.result(from)
	require.NoError(t, got.err)
	require.Equal(t, 302, got.response.Status)
	got.response.Release()
}

func TestDoFollowsRedirections(t *testing.T) {
	get := "GET /next HTTP/1.1\r\nHost: h\r\nX: 1\r\n\r\n"
	post := "POST /next HTTP/1.1\r\nHost: h\r\nX: 1\r\nContent-Type: a/b\r\nContent-Length: 4\r\n\r\nbody"
	for name, row := range map[string]struct {
		method httpx.Method
		status int
		want   string
	}{
		"303 asks for the result": {httpx.MethodPost, 303, get},
		"302 behind POST as well": {httpx.MethodPost, 302, get},
		"301 behind POST as well": {httpx.MethodPost, 301, get},
		"307 keeps all":           {httpx.MethodPost, 307, post},
		"308 keeps all":           {httpx.MethodPost, 308, post},
		"303 keeps HEAD":          {httpx.MethodHead, 303, "HEAD /next HTTP/1.1\r\nHost: h\r\nX: 1\r\n\r\n"},
		"301 keeps GET":           {httpx.MethodGet, 301, get},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{MaxRedirects: 1})
			req := httpx.NewFullRequest(row.method, "/old") // relative to the Host field
			require.NoError(t, errors.Join(req.Header.Add("host", "h"), req.Header.Add("X", "1")))
			wire, ok := moved(row.status, "/next#part"), okWire
			switch row.method {
			case httpx.MethodPost:
				req.SetBodyString("body")
				require.NoError(t, req.Header.Add("content-type", "a/b"))
			case httpx.MethodHead:
				wire, ok = wire[:len(wire)-3], ok[:len(ok)-2]
			default:
			}
			from := n.do(t.Context(), req)
			n.asked(0)
			n.answer(0, wire)
			require.Equal(t, lowerFieldNames(row.want), lowerFieldNames(n.asked(0)))
			n.answer(0, ok)
			got := n.result(from)
			require.NoError(t, got.err)
			require.Equal(t, 200, got.response.Status)
			got.response.Release()
		})
	}
}

func TestDoKeepsCredentialsFromOtherHosts(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxRedirects: 3})
	n.net.Listen("h:81", nil)
	from := n.do(t.Context(), getHost("Authorization", "secret", "Cookie", "secret", "X", "1"))
	n.asked(0)
	n.answer(0, moved(307, "http://h/b"))
	require.Contains(t, n.asked(0), "secret")
	n.answer(0, moved(307, "http://h:81/c"))
	n.until(func() bool { return len(n.net.Dialed("h:81")) == 1 && n.net.Dialed("h:81")[0].Untaken() > 0 })
	require.Equal(t, "GET /c HTTP/1.1\r\nHost: h:81\r\nX: 1\r\n\r\n", n.net.Dialed("h:81")[0].WireString())
	require.NoError(t, n.net.Dialed("h:81")[0].FeedString(okWire))
	got := n.result(from)
	require.NoError(t, got.err)
	got.response.Release()
}

func TestDoStopsFollowing(t *testing.T) {
	for name, row := range map[string]struct {
		location string
		rounds   int
	}{
		"a circle":        {"/again", 3},
		"another scheme":  {"ftp://h/", 1},
		"no URL":          {"http://[", 1},
		"a user's name":   {"http://u@h/", 1},
		"without a place": {"mailto:x", 1},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{MaxRedirects: 2})
			from := n.do(t.Context(), getHost())
			for range row.rounds {
				n.asked(0)
				n.answer(0, moved(302, row.location))
			}
			require.ErrorIs(t, n.result(from).err, httpx.ErrRedirects)
		})
	}
}

// lowerFieldNames makes the octets comparable however field names are written.
func lowerFieldNames(wire string) string {
	lines := strings.Split(wire, "\r\n")
	for i, line := range lines[1:] {
		if name, value, ok := strings.Cut(line, ": "); ok {
			lines[i+1] = strings.ToLower(name) + ": " + value
		}
	}
	return strings.Join(lines, "\r\n")
}
