package httpx

import (
	"bufio"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fragments are the pieces that framing mistakes are made of.
var fragments = []string{
	"GET ", "POST ", "HEAD / HTTP/1.1\r\n", "/", " HTTP/1.1", " HTTP/1.0", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n", "Host: a", "Host: b",
	"Content-Length: ", "content-length:", "3", "0", "00", "+3", "-1", "3, 3", "9223372036854775808", "Transfer-Encoding: chunked",
	"transfer-encoding:\tChunked", "Transfer-Encoding: identity", "Transfer-Encoding: gzip, chunked", "chunked", ", ", "abc", "3\r\nabc\r\n",
	"3\nabc\n", "0\r\n\r\n", "0\r\nX: 1\r\n\r\n", ";", ";a=b", ";a=\"b", " ", "\t", "\v", ":", "X: 1", " folded", "Connection: close", "Expect: 100-continue",
	"Trailer: X", "\x00", "\x7f", "\xe9", "0x3", "g", "Upgrade: h2c\r\nConnection: upgrade", "GET /evil HTTP/1.1\r\nHost: a\r\n\r\n",
}

var skeletons = []string{
	getRequest,
	"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" + getRequest,
	postChunked + "3\r\nabc\r\n0\r\n\r\n" + getRequest,
	postChunked + "3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX: 1\r\n\r\n" + getRequest,
	"HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + getRequest,
}

// mutated is a good stream with a few fragments put in, taken out, or in the place of others.
func mutated(random *rand.Rand, skeletons []string) string {
	s := skeletons[random.IntN(len(skeletons))]
	for range 1 + random.IntN(4) {
		at := random.IntN(len(s) + 1)
		end := at
		if random.IntN(2) == 0 {
			end = min(len(s), at+random.IntN(4))
		}
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 && random.IntN(2) == 0 {
			at += i + 1 // a line's beginning is where it matters
			end = max(end, at)
		}
		s = s[:at] + fragments[random.IntN(len(fragments))] + s[end:]
	}
	return s
}

var responseSkeletons = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX: 1\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nX: 1\r\n\r\nHTTP/1.0 200 OK\r\n\r\nuntil the end",
	"HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\nHTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
}

// comparison is one direction of HTTP, read by us and by the standard library.
type comparison struct {
	skeletons  []string
	newDecoder func() decoder
	agrees     func(t *testing.T, input []byte, ours []message) *bufio.Reader
	next       func(r *bufio.Reader) error // reads one more message by the standard library
	onlyWe     map[string]string           // our reasons to refuse what the standard library reads, each with an example
}

// run reads mutated streams. What we accept, the standard library accepts with the same meaning, or it is stricter; what
// we refuse, it refuses too, or the reason is among those listed.
func (c *comparison) run(t *testing.T, seed uint64, rounds int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 6))
	messages, refused := 0, 0
	for range rounds {
		input := mutated(random, c.skeletons)
		got := decodeWhole(t, c.newDecoder(), []byte(input), true)
		cuts := randomCuts(random, len(input))
		require.Equal(t, got, decodeCut(t, c.newDecoder(), []byte(input), cuts, true), "%q at %v", input, cuts)
		r := c.agrees(t, []byte(input), got.messages)
		messages += len(got.messages)
		if got.reason == "" {
			continue
		}
		refused++
		if r != nil && c.next(r) == nil {
			require.Contains(t, c.onlyWe, got.reason, "only we refuse %q", input)
		}
	}
	// Both kinds must be there, or the test shows nothing.
	require.Greater(t, messages, rounds/10)
	require.Greater(t, refused, rounds/10)
}

// examples shows that the list is right.
func (c *comparison) examples(t *testing.T) {
	t.Helper()
	for reason, input := range c.onlyWe {
		require.Equal(t, reason, decodeWhole(t, c.newDecoder(), []byte(input), true).reason, "%q", input)
		require.NoError(t, c.next(standardReader([]byte(input))), "%s: it is not only we who refuse %q", reason, input)
	}
}

// onlyWeRefuseRequests names where the zero DecoderConfig is stricter than net/http's reader. Its server refuses some of
// these later.
func onlyWeRefuseRequests() map[string]string {
	const post, chunked = "POST / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
	return map[string]string{
		"missing host":             "GET / HTTP/1.1\r\n\r\n",
		"bad host":                 "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
		"bad request target":       "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
		"version not supported":    "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
		"bare LF":                  "GET / HTTP/1.1\nHost: a\r\n\r\n",
		"obs-fold":                 "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
		"bad field name":           "GET / HTTP/1.1\r\nHost: a\r\nX Y: a\r\n\r\n",
		"space before colon":       "GET / HTTP/1.1\r\nHost: a\r\nX : a\r\n\r\n",
		"both length and chunked":  post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"duplicate content-length": post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
		"transfer-encoding in 1.0": "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
		"content in CONNECT":       "CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
		"bad chunk size":           chunked + "1 \r\nx\r\n0\r\n\r\n",
		"bad chunk extension":      chunked + "1;@\r\nx\r\n0\r\n\r\n",
		"request line too long":    "GET /" + strings.Repeat("a", DefaultLine) + " HTTP/1.1\r\nHost: a\r\n\r\n",
		"header too large":         "GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", DefaultHead) + "\r\n\r\n",
		"too many fields":          "GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: a\r\n", DefaultFields) + "\r\n",
		"too many empty lines":     strings.Repeat("\r\n", DefaultBlankLines+1) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	}
}

func onlyWeRefuseResponses() map[string]string {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	return map[string]string{
		"bare LF":                                 "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n",
		"bare CR":                                 "HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n",
		"bad status line":                         "HTTP/1.1 200 O\x7fK\r\nContent-Length: 0\r\n\r\n",
		"bad version":                             "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n",
		"bad field name":                          "HTTP/1.1 200 OK\r\nX Y: a\r\nContent-Length: 0\r\n\r\n",
		"space before colon":                      "HTTP/1.1 200 OK\r\nX : a\r\nContent-Length: 0\r\n\r\n",
		"both length and chunked":                 "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"duplicate content-length":                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
		"transfer-encoding in 1.0":                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
		"bad chunk size":                          chunked + "1 \r\nx\r\n0\r\n\r\n",
		"bad chunk extension":                     chunked + "1;@\r\nx\r\n0\r\n\r\n",
		"status line too long":                    "HTTP/1.1 200 " + strings.Repeat("a", DefaultLine) + "\r\nContent-Length: 0\r\n\r\n",
		"header too large":                        "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", DefaultHead) + "\r\n\r\n",
		"too many fields":                         "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: a\r\n", DefaultFields+1) + "\r\n",
		"switching protocols without being asked": "HTTP/1.1 101 Switching Protocols\r\n\r\n",
	}
}

func TestMutatedRequestsAreReadLikeTheStandardLibraryOrRefused(t *testing.T) {
	c := comparison{
		skeletons:  skeletons,
		newDecoder: func() decoder { return NewRequestDecoder(DecoderConfig{}, nil) },
		agrees: func(t *testing.T, input []byte, ours []message) *bufio.Reader {
			t.Helper()
			requireRoundTrip(t, ours)
			return requireStandardAgrees(t, input, ours)
		},
		next: func(r *bufio.Reader) error {
			_, _, err := readStandardRequest(r)
			return err
		},
		onlyWe: onlyWeRefuseRequests(),
	}
	c.examples(t)
	c.run(t, 5, 2000)
}

func TestMutatedResponsesAreReadLikeTheStandardLibraryOrRefused(t *testing.T) {
	methods := []Method{MethodGet, MethodGet, MethodGet, MethodGet, MethodGet, MethodGet, MethodGet, MethodGet}
	c := comparison{
		skeletons: responseSkeletons,
		newDecoder: func() decoder {
			state := new(State)
			for range methods {
				state.push(exchangeKeepAlive)
			}
			return NewResponseDecoder(DecoderConfig{}, state)
		},
		agrees: func(t *testing.T, input []byte, ours []message) *bufio.Reader {
			t.Helper()
			return requireStandardResponses(t, input, ours, methods)
		},
		next: func(r *bufio.Reader) error {
			_, _, err := readStandardResponse(r, MethodGet)
			return err
		},
		onlyWe: onlyWeRefuseResponses(),
	}
	c.examples(t)
	c.run(t, 7, 2000)
}
