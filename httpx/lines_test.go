package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLineSearchResumesWhereItStopped(t *testing.T) {
	var l lines
	window := []byte("GET / HTTP/1.1\r\n")
	for n := range window {
		_, status := l.next(window[:n], 100, false)
		require.Equal(t, linePartial, status)
		require.Equal(t, n, l.seen, "every octet is searched once")
	}
	end, status := l.next(window, 100, false)
	require.Equal(t, lineWhole, status)
	require.Equal(t, len(window)-2, end)
	require.Equal(t, len(window), l.at)
}

func TestLinesMustEndBeforeTheLimit(t *testing.T) {
	for limit, want := range map[int]lineStatus{5: lineTooLong, 6: lineWhole, 7: lineWhole} {
		var l lines
		_, status := l.next([]byte("abcd\r\nrest"), limit, false)
		require.Equal(t, want, status, limit)
	}
	var l lines
	_, status := l.next([]byte("abcd\r"), 5, false)
	require.Equal(t, lineTooLong, status, "no need to wait for what cannot fit")
}

func TestBareLFEndsALineOnlyWhenAllowed(t *testing.T) {
	for _, text := range []string{"abc\n", "\n"} {
		var l lines
		_, status := l.next([]byte(text), 100, false)
		require.Equal(t, lineBareLF, status)
		end, status := l.next([]byte(text), 100, true)
		require.Equal(t, lineWhole, status)
		require.Equal(t, len(text)-1, end)
	}
}

func TestFieldLinesAreRefusedWithTheirReason(t *testing.T) {
	for field, reason := range map[string]string{
		"X-A":         "no colon",
		": v":         "empty field name",
		"X-A : v":     "space before colon",
		"X-A\t : v":   "space before colon",
		"X@A: v":      "bad field name",
		"X A: v":      "bad field name",
		"X-A x":       "bad field name",
		"\vX-A: v":    "bad field name",
		"X-A: a\x00b": "bad field value",
		"X-A: a\rb":   "bare CR",
		"X-A: v\r":    "bare CR",
		"\rX-A: v":    "bad field name",
		"X-A: \x7f":   "bad field value",
		"X-\xe9: v":   "bad field name",
	} {
		requireRefused(t, getWith(field), 400, reason)
	}
}

func TestFieldValuesLoseTheBlanksAroundThem(t *testing.T) {
	got := requireAccepted(t, DecoderConfig{}, getWith("A:  \t b\tc  d \t", "B:", "C:\t", "D:e"))
	require.Equal(t, [][2]string{{"Host", "a"}, {"A", "b\tc  d"}, {"B", ""}, {"C", ""}, {"D", "e"}}, got.Headers)
}
