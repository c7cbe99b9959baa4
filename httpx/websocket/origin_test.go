package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
)

func requestFrom(t *testing.T, host string, origins ...string) *httpx.Request {
	t.Helper()
	r := httpx.NewRequest(httpx.MethodGet, "/")
	require.NoError(t, r.Header.Add("Host", host))
	for _, o := range origins {
		require.NoError(t, r.Header.Add("Origin", o))
	}
	t.Cleanup(r.Release)
	return r
}

func TestSameOriginComparesHostAndPort(t *testing.T) {
	for _, tt := range []struct {
		host, origin string
		want         bool
	}{
		{"example.org", "http://example.org", true},
		{"example.org", "https://EXAMPLE.org", true},
		{"example.org:80", "http://example.org", true},
		{"example.org", "http://example.org:80", true},
		{"example.org:443", "https://example.org", true},
		{"example.org:8080", "http://example.org:8080", true},
		{"example.org:8080", "http://example.org", false},
		{"example.org:80", "https://example.org", false},
		{"example.org", "http://evil.org", false},
		{"example.org", "http://example.org.evil.org", false},
		{"example.org", "null", false},
		{"example.org", "example.org", false},
		{"example.org", "http://", false},
		{"[::1]:8080", "http://[::1]:8080", true},
	} {
		require.Equal(t, tt.want, SameOrigin(requestFrom(t, tt.host, tt.origin)), "%s from %s", tt.host, tt.origin)
	}
	require.True(t, SameOrigin(requestFrom(t, "example.org")), "no browser")
	require.False(t, SameOrigin(requestFrom(t, "example.org", "http://example.org", "http://example.org")))
	require.True(t, SameOrigin(requestFrom(t, "example.org", "")))
}

func TestOriginsAreAList(t *testing.T) {
	allowed := Origins("https://a.example", "http://B.example:8080")
	for origin, want := range map[string]bool{
		"https://a.example": true, "HTTPS://A.example": true, "http://b.example:8080": true, "http://a.example": false, "null": false,
	} {
		require.Equal(t, want, allowed(requestFrom(t, "x", origin)), "%s", origin)
	}
	require.True(t, allowed(requestFrom(t, "x")))
	require.False(t, allowed(requestFrom(t, "x", "https://a.example", "https://a.example")))
}
