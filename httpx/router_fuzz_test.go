package httpx_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
)

// FuzzRouter checks for any target that a redirect leads to an answer, stays on the host, and does not lead on.
func FuzzRouter(f *testing.F) {
	f.Add("//a/../b?c=d")
	f.Add("/\\evil.example/%2e%2e/")
	f.Add("http://x/%61/./")
	f.Fuzz(func(t *testing.T, target string) {
		r := routed(t, nil, "/{x}/b/{$}", "/{x}/{y}/{z...}", "GET /a/b/c/{$}", "/c", "/d/{$}")
		if target == "" || len(target) > 1000 || strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
			return
		}
		if target[0] != '/' && !strings.HasPrefix(target, "http://x/") {
			return
		}
		answer := exchangeOne(t, r.Serve, "GET", target, "x")
		switch answer.StatusCode {
		case 200, 400, 404, 405:
			require.Empty(t, answer.Header.Get("Location"))
			return
		case 301:
		default:
			require.Failf(t, "unexpected status", "%d for %q", answer.StatusCode, target)
		}
		location := answer.Header.Get("Location")
		require.True(t, strings.HasPrefix(location, "/") && !strings.HasPrefix(location, "//") && !strings.Contains(location, "\\"), "%q", location)
		requireNoRedirect(t, r, location)
	})
}

func requireNoRedirect(t *testing.T, r *httpx.Router, target string) {
	t.Helper()
	answer := exchangeOne(t, r.Serve, http.MethodGet, target, "x")
	require.Equal(t, 200, answer.StatusCode, "%q", target)
}
