package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionsReadAndWriteAlike(t *testing.T) {
	for text, want := range map[string]Version{
		"HTTP/1.0": Version10, "HTTP/1.1": Version11, "HTTP/1.9": 1<<8 | 9, "HTTP/0.9": 9, "HTTP/2.0": 2 << 8,
	} {
		got, ok := parseVersion([]byte(text))
		require.True(t, ok, text)
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
	require.Equal(t, 1, Version11.Major())
	require.Equal(t, 1, Version11.Minor())
	require.Less(t, Version10, Version11)
}

func TestVersionsAreOneDigitDotOneDigit(t *testing.T) {
	for _, bad := range []string{
		"", "HTTP/1.", "HTTP/1.10", "http/1.1", "HTTP/1,1", "HTTP/a.1", "HTTP/1.a", "HTTP 1.1", "HTTPS/1.", "HTTP/\xff.1",
	} {
		_, ok := parseVersion([]byte(bad))
		require.False(t, ok, "%q", bad)
	}
}
