package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoggedTextIsCutAndEscaped(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"/plain?a":              "/plain?a",
		"q\" b\\":               `q\" b\\`,
		"a\r\nb\x00\xff":        `a\r\nb\x00\xff`,
		"\u00fc":                `\u00fc`,
		strings.Repeat("x", 11): "xxxxxxxxxx...",
		"123456789\n0":          `123456789\n...`,
		"12345678\x1b[31m":      `12345678\x1b[...`,
	} {
		require.Equal(t, want, string(keepQuoted([]byte("what was there"), []byte(in), 10)), "%q", in)
	}
}

func TestLoggedTextReusesItsMemory(t *testing.T) {
	dst := make([]byte, 0, 64)
	got := keepQuoted(dst, []byte("/target"), 10)
	require.Same(t, &dst[:1][0], &got[0])
}
