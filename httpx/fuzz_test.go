package httpx

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRequestDecoder checks for any octets: every cut gives the same, what was accepted can be written and read back,
// and the standard library reads the same messages or is stricter.
func FuzzRequestDecoder(f *testing.F) {
	for _, c := range loadCases(f) {
		if c.Kind == "request" {
			f.Add(c.input(f), uint64(len(c.ID)))
		}
	}
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		want := decodeWhole(t, NewRequestDecoder(DecoderConfig{}, nil), input, true)
		random := rand.New(rand.NewPCG(seed, 0))
		for range 4 {
			cuts := randomCuts(random, len(input))
			require.Equal(t, want, decodeCut(t, NewRequestDecoder(DecoderConfig{}, nil), input, cuts, true), "%v", cuts)
		}
		requireRoundTrip(t, want.messages)
		requireStandardAgrees(t, input, want.messages)
	})
}

// FuzzRequestDecoderLenient has every option on: no panic, and every cut gives the same.
func FuzzRequestDecoderLenient(f *testing.F) {
	for _, c := range loadCases(f) {
		if c.Kind == "request" {
			f.Add(c.input(f), uint64(len(c.ID)))
		}
	}
	config := Lenient()
	config.AllowMissingHost = true
	config.Limits = Limits{Line: 100, Head: 200, Fields: 8}
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		want := decodeWhole(t, NewRequestDecoder(config, nil), input, true)
		cuts := randomCuts(rand.New(rand.NewPCG(seed, 0)), len(input))
		require.Equal(t, want, decodeCut(t, NewRequestDecoder(config, nil), input, cuts, true), "%v", cuts)
	})
}

// FuzzResponseDecoder checks the other direction: every cut gives the same, and the standard library reads the same
// messages or is stricter.
func FuzzResponseDecoder(f *testing.F) {
	for _, c := range loadCases(f) {
		if c.Kind == "response" {
			f.Add(c.input(f), uint64(len(c.ID)))
		}
	}
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		want := decodeWhole(t, NewResponseDecoder(DecoderConfig{}, nil), input, true)
		random := rand.New(rand.NewPCG(seed, 0))
		for range 4 {
			cuts := randomCuts(random, len(input))
			require.Equal(t, want, decodeCut(t, NewResponseDecoder(DecoderConfig{}, nil), input, cuts, true), "%v", cuts)
		}
		asked := slices.Repeat([]Method{MethodGet}, len(want.messages)+1)
		requireStandardResponses(t, input, want.messages, asked)
	})
}

// FuzzResponseEncoder checks that an answer made of any text is refused unwritten, or read back by us and by the
// standard library as exactly that answer.
func FuzzResponseEncoder(f *testing.F) {
	f.Add(200, "OK", "Content-Type", "text/plain", "hello", false)
	f.Add(299, "", "X", "a\r\nSet-Cookie: x", "", true)
	f.Add(404, "Not\nFound", "Content-Length", "5", "hello", false)
	f.Add(200, "", "Transfer-Encoding", "chunked", "hello", false)
	f.Add(204, "", "Connection", "close, x", "hello", true)
	f.Add(304, "\xff", "X", " \t\xe9 ", "hello", true)
	f.Fuzz(func(t *testing.T, status int, reason, name, value, body string, stream bool) {
		m := outMessage{Status: status, Reason: reason, Headers: [][2]string{{name, value}}, Body: body}
		wire, err := m.encode(NewResponseEncoder(nil), !stream)
		if err != nil {
			require.True(t, wire == "" || stream, "%q", wire)
			return
		}
		if status < 200 {
			return
		}
		got := decodeWhole(t, NewResponseDecoder(DecoderConfig{}, nil), []byte(wire), true)
		require.Empty(t, got.reason, "%q", wire)
		require.Len(t, got.messages, 1, "%q", wire)
		require.Empty(t, got.leftover, "%q", wire)
		if status != 204 && status != 205 && status != 304 {
			require.Equal(t, body, got.messages[0].Body, "%q", wire)
		}
		standard, err := http.ReadResponse(bufio.NewReader(strings.NewReader(wire)), nil)
		require.NoError(t, err, "%q", wire)
		require.Equal(t, status, standard.StatusCode)
		octets, err := io.ReadAll(standard.Body)
		require.NoError(t, err)
		require.Equal(t, got.messages[0].Body, string(octets))
	})
}

// FuzzMatchPrefix checks that a verdict is never taken back, and that what we decode is never called something else.
func FuzzMatchPrefix(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.Add([]byte("\r\n\r\n\x00\r\nQUIT\n"))
	f.Add([]byte("CONNECT\naccept-version:1.2\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		decided, verdict := false, false
		for n := range len(input) + 1 {
			yes, more := MatchPrefix(input[:n])
			require.False(t, decided && (more || yes != verdict), "%q", input[:n])
			decided, verdict = !more, yes
		}
		got := decodeWhole(t, NewRequestDecoder(DecoderConfig{}, nil), input, false)
		if len(got.messages) > 0 && Method(got.messages[0].Method).Known() {
			require.True(t, verdict, "%q", input)
		}
	})
}

// requireRoundTrip writes messages again and decodes them.
func requireRoundTrip(t *testing.T, messages []message) {
	t.Helper()
	var wire bytes.Buffer
	for _, m := range messages {
		fmt.Fprintf(&wire, "%s %s %s\r\n", m.Method, octetsOf(m.Target), m.Version)
		chunked := false
		for _, h := range m.Headers {
			fmt.Fprintf(&wire, "%s: %s\r\n", octetsOf(h[0]), octetsOf(h[1]))
			chunked = chunked || strings.EqualFold(h[0], "Transfer-Encoding")
		}
		wire.WriteString("\r\n")
		if !chunked {
			wire.WriteString(m.Body)
			continue
		}
		if m.Body != "" {
			fmt.Fprintf(&wire, "%x\r\n%s\r\n", len(m.Body), m.Body)
		}
		wire.WriteString("0\r\n")
		for _, h := range m.Trailers {
			fmt.Fprintf(&wire, "%s: %s\r\n", octetsOf(h[0]), octetsOf(h[1]))
		}
		wire.WriteString("\r\n")
	}
	got := decodeWhole(t, NewRequestDecoder(DecoderConfig{}, nil), wire.Bytes(), true)
	require.Empty(t, got.reason, "%q", wire.String())
	require.Equal(t, messages, got.messages)
}

// octetsOf undoes latin1.
func octetsOf(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}
