package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scanned is the field lines that a pass takes of text, as name and value, and what it leaves.
func scanned(text string, most int) (lines [][2]string, rest string) {
	h := Header{wire: []byte(text), view: true}
	n := h.scan(h.wire, 0, most)
	for name, value := range h.All() {
		lines = append(lines, [2]string{string(name), string(value)})
	}
	return lines, text[n:]
}

func TestScanTakesLinesWithoutFaultAndStopsInFrontOfOthers(t *testing.T) {
	good := "Host: a\r\nX_1-y:\t b\tc  d \t\r\nEmpty:\r\n"
	want := [][2]string{{"Host", "a"}, {"X_1-y", "b\tc  d"}, {"Empty", ""}}
	for _, rest := range []string{
		"", "\r\n", "\r\nX: 1\r\n", " folded\r\n", "X: 1", "X: 1\r", "X: 1\n", "X", "X:", "X : 1\r\n", ": 1\r\n", "X: \x00\r\n",
		"X: 1\rY: 2\r\n", "X: \x7f\r\n", "@: 1\r\n", "X\x80: 1\r\n", "\n", "\r", "\rX: 1\r\n",
		strings.Repeat("n", maxNameBytes+1) + ": 1\r\n",
	} {
		lines, left := scanned(good+rest, 100)
		require.Equal(t, want, lines, "%.20q", rest)
		require.Equal(t, rest, left)
	}
}

func TestScanStopsAtTheMostFields(t *testing.T) {
	lines, left := scanned("A: 1\r\nB: 2\r\nC: 3\r\n", 2)
	require.Len(t, lines, 2)
	require.Equal(t, "C: 3\r\n", left)
}

// Each octet at each place of a line, next to the function that judges whole lines with reasons.
func TestScanAgreesWithTheParserOfWholeLines(t *testing.T) {
	const line = "Content-Lengths: Mon, 1 Jan 1970"
	for at := range len(line) {
		for c := range 256 {
			b := []byte(line)
			b[at] = byte(c)
			colon, from, to, err := splitField(b)
			f, length := scanField(append(b, "\r\n"...))
			if length == 0 {
				require.True(t, err != nil || c == '\n', "%q", b)
				continue
			}
			require.NoError(t, err, "%q", b)
			require.Equal(t, len(line)+2, length)
			require.Equal(t, []int{colon, from, to}, []int{int(f.nameLen), int(f.value), int(f.value + f.valueLen)}, "%q", b)
			require.Equal(t, nameOf(b[:colon]), f.is)
		}
	}
}

func TestScanLineTakesPlainRequestLinesOnly(t *testing.T) {
	for line, target := range map[string]string{
		"GET / HTTP/1.1\r\n":                  "/",
		"POST /a/b?c=%20 HTTP/1.1\r\nHost: a": "/a/b?c=%20",
	} {
		var r Request
		require.Equal(t, strings.IndexByte(line, '\n')+1, r.scanLine([]byte(line)))
		require.Equal(t, target, line[r.target:r.targetEnd])
		require.Equal(t, Version11, r.Version)
		require.Equal(t, line[:strings.IndexByte(line, ' ')], string(r.Method))
		for n := range strings.IndexByte(line, '\n') {
			require.Zero(t, new(Request).scanLine([]byte(line[:n])))
		}
	}
	for _, line := range []string{
		"GET  HTTP/1.1 ", "GET * HTTP/1.1\r\n", "GET http://a/ HTTP/1.1\r\n", "GET / HTTP/1.0\r\n", "GET / HTTP/1.1\n----",
		"GET /a b HTTP/1.1\r\n", "GET /\x80 HTTP/1.1\r\n", "get / HTTP/1.1\r\n", "GET\t/ HTTP/1.1\r\n", "GET /  HTTP/1.1\r\n",
		"GET /\x7f HTTP/1.1\r\n", "HEAD / HTTP/1.1\r\n", "POST/ HTTP/1.1\r\n--", " GET / HTTP/1.1\r\n",
	} {
		require.Zero(t, new(Request).scanLine([]byte(line)), "%q", line)
	}
}
