package httpx

import (
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
func mutated(random *rand.Rand) string {
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

// What we accept, the standard library accepts with the same meaning; streams that it reads and we refuse are fine.
func TestMutatedStreamsAreReadLikeTheStandardLibraryOrRefused(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	messages, refused := 0, 0
	for range 2000 {
		input := mutated(random)
		got := decodeWhole(t, NewRequestDecoder(DecoderConfig{}, nil), []byte(input), true)
		cuts := randomCuts(random, len(input))
		require.Equal(t, got, decodeCut(t, NewRequestDecoder(DecoderConfig{}, nil), []byte(input), cuts, true), "%q at %v", input, cuts)
		requireStandardAgrees(t, []byte(input), got.messages)
		requireRoundTrip(t, got.messages)
		messages += len(got.messages)
		if got.reason != "" {
			refused++
		}
	}
	// Both kinds must be there, or the test shows nothing.
	require.Greater(t, messages, 200)
	require.Greater(t, refused, 200)
}
