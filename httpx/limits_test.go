package httpx

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoLimitIsEverOff(t *testing.T) {
	for _, given := range []Limits{{}, {Line: -1, Head: -1, Fields: -1, ChunkExt: -1, ChunkExtPerByte: -1, ChunkDigits: -1}} {
		filled := reflect.ValueOf(given.filled())
		for i := range filled.NumField() {
			require.Positive(t, filled.Field(i).Int(), filled.Type().Field(i).Name)
		}
	}
	require.Equal(t, Limits{
		Line: 8192, Head: 32768, Fields: 128, ChunkExt: 4096, ChunkExtPerByte: 16, ChunkDigits: 16, BlankLines: 4,
		Pipelined: 16384,
	}, Limits{}.filled())
	require.Equal(t, 7, Limits{Line: 7}.filled().Line)
}

// The limits are exact: one octet less passes, one more does not, however the input is cut.
func TestLimitsAreExact(t *testing.T) {
	limits := DecoderConfig{Limits: Limits{Line: 30, Head: 60, Fields: 3, ChunkExt: 20, ChunkExtPerByte: 2, ChunkDigits: 5}}
	chunked := func(body string) string {
		return "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body
	}
	for _, row := range []struct {
		name, within, beyond string
		status               int
	}{
		{
			"request line",
			"GET /" + strings.Repeat("a", 16) + " HTTP/1.1\r\nHost: a\r\n\r\n",
			"GET /" + strings.Repeat("a", 17) + " HTTP/1.1\r\nHost: a\r\n\r\n",
			414,
		},
		{
			"field lines together",
			"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("v", 46) + "\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("v", 47) + "\r\n\r\n",
			431,
		},
		{
			"number of fields",
			"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\nX: 3\r\n\r\n",
			431,
		},
		{"digits of a chunk size", chunked("00001\r\na\r\n0\r\n\r\n"), chunked("000001\r\na\r\n0\r\n\r\n"), 400},
		{
			"chunk extensions of a body",
			chunked("1;aaaaaaaaaaaaa\r\na\r\n1;aaaaa\r\na\r\n0;aa\r\n\r\n"),
			chunked("1;aaaaaaaaaaaaa\r\na\r\n1;aaaaa\r\na\r\n0;aaaaa\r\n\r\n"),
			400,
		},
		{
			"one chunk extension",
			chunked("9;" + strings.Repeat("a", 19) + "\r\n123456789\r\n0\r\n\r\n"),
			chunked("9;" + strings.Repeat("a", 25) + "\r\n123456789\r\n0\r\n\r\n"),
			400,
		},
		{
			"trailers together",
			chunked("0\r\nX: " + strings.Repeat("v", 55) + "\r\n\r\n"),
			chunked("0\r\nX: " + strings.Repeat("v", 56) + "\r\n\r\n"),
			431,
		},
		{
			"number of trailers, dropped ones included",
			chunked("0\r\nX: 1\r\nHost: b\r\nX: 3\r\n\r\n"),
			chunked("0\r\nX: 1\r\nHost: b\r\nX: 3\r\nX: 4\r\n\r\n"),
			431,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			requireAccepted(t, limits, row.within)
			got := decodeRequests(t, limits, row.beyond)
			require.Equal(t, row.status, got.status, got.reason)
			require.Empty(t, got.messages)
		})
	}
}

func TestEmptyLinesInFrontAreBounded(t *testing.T) {
	requireAccepted(t, DecoderConfig{}, strings.Repeat("\r\n", DefaultBlankLines)+getWith())
	requireRefused(t, strings.Repeat("\r\n", DefaultBlankLines+1)+getWith(), 400, "too many empty lines")
	got := decodeRequests(t, DecoderConfig{}, strings.Repeat(strings.Repeat("\r\n", DefaultBlankLines)+getWith(), 3))
	require.Len(t, got.messages, 3, "counted per message")
}

func TestUnansweredRequestsAreBounded(t *testing.T) {
	config := DecoderConfig{Limits: Limits{Pipelined: 20}}
	got := decodeRequests(t, config, strings.Repeat(getWith(), 20))
	require.Len(t, got.messages, 20)
	got = decodeRequests(t, config, strings.Repeat(getWith(), 21))
	require.Len(t, got.messages, 20)
	require.Equal(t, 503, got.status)
}

// A peer that never ends a line is refused as soon as the limit is reached, not when the line ends.
func TestEndlessLinesAreRefusedAtTheLimit(t *testing.T) {
	for name, row := range map[string]struct {
		before string
		most   int
		status int
	}{
		"request line": {"", DefaultLine, 414},
		"field line":   {"GET / HTTP/1.1\r\n", DefaultHead, 431},
		"chunk line":   {postChunked + "1;", DefaultChunkExt + DefaultChunkDigits, 400},
		"trailer line": {postChunked + "0\r\n", DefaultHead, 431},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFeeder(t, NewRequestDecoder(DecoderConfig{}, nil))
			f.feed([]byte(row.before))
			fed := 0
			for f.result.reason == "" {
				f.feed([]byte(strings.Repeat("a", 100)))
				fed += 100
				require.LessOrEqual(t, fed, row.most+200)
			}
			require.Equal(t, row.status, f.close().status)
		})
	}
}
