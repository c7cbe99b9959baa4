package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var unfolding = DecoderConfig{UnfoldLines: true}

func TestUnfoldReplacesEachFoldByOneSpace(t *testing.T) {
	for field, want := range map[string]string{
		"X: b\r\n  c":            "b c",
		"X: b  \r\n\tc":          "b c",
		"X: b\r\n c\r\n d":       "b c d",
		"X:\r\n b":               "b",
		"X: b\r\n ":              "b",
		"X: b\r\n \r\n c":        "b c",
		"X: b  c\r\n d":          "b  c d",
		"X: b\r\n \t \t \r\n  c": "b c",
	} {
		got := requireAccepted(t, unfolding, getWith("Before: 1", field, "After: 2"))
		require.Equal(t, [][2]string{{"Host", "a"}, {"Before", "1"}, {"X", want}, {"After", "2"}}, got.Headers, "%q", field)
	}
}

func TestUnfoldWorksOnHeadsOfAnySize(t *testing.T) {
	long := strings.Repeat("v", 2*smallHead)
	got := requireAccepted(t, unfolding, getWith("X: "+long+"\r\n "+long))
	require.Equal(t, long+" "+long, got.Headers[1][1])
}

func TestUnfoldWorksWithBareLF(t *testing.T) {
	config := DecoderConfig{UnfoldLines: true, AllowBareLF: true}
	got := requireAccepted(t, config, "GET / HTTP/1.1\nHost: a\nX: b\n c\r\n d\n\n")
	require.Equal(t, "b c d", got.Headers[1][1])
}

func TestFoldedFramingFieldsAreReadUnfolded(t *testing.T) {
	got := decodeRequests(t, unfolding, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n 0\r\n\r\nabcdefghij")
	require.Equal(t, "bad content-length", got.reason)
	got = decodeRequests(t, unfolding, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n")
	require.Len(t, got.messages, 1)
}

func TestFoldsAreRefusedWhereTheyMayNotBe(t *testing.T) {
	requireRefused(t, getWith("X: b", " c"), 400, "obs-fold")
	got := decodeRequests(t, unfolding, "GET / HTTP/1.1\r\n X: v\r\nHost: a\r\n\r\n")
	require.Equal(t, "whitespace before first field", got.reason)
	got = decodeRequests(t, unfolding, getWith("X: b", " c\x00"))
	require.Equal(t, "bad field value", got.reason)
	got = decodeRequests(t, unfolding, postChunked+"0\r\nX: b\r\n c\r\n\r\n")
	require.Equal(t, 400, got.status, "never in trailers")
}
