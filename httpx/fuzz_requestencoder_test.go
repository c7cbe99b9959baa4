package httpx

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRequestEncoder checks that a request made of any text is refused unwritten, or read back by us, and by the standard
// library unless that is stricter, as exactly that request.
func FuzzRequestEncoder(f *testing.F) {
	f.Add("GET", "/", "Content-Type", "text/plain", "hello", false)
	f.Add("GET", "/a\r\nX: y", "X", "a\r\nSet-Cookie: x", "", true)
	f.Add("POST", "http://a/b?c", "Content-Length", "5", "hello", false)
	f.Add("PUT", "/", "Transfer-Encoding", "chunked", "hello", false)
	f.Add("CONNECT", "a:1", "Connection", "close, x", "", true)
	f.Add("OPTIONS", "*", "Expect", "100-continue", "x", true)
	f.Add("G T", "/", "Host", "b", "", true)
	f.Fuzz(func(t *testing.T, method, target, name, value, body string, stream bool) {
		m := outMessage{Type: "request", Method: method, Target: target, Headers: [][2]string{{"Host", "a"}, {name, value}}, Body: body}
		wire, err := m.encode(NewRequestEncoder(nil), !stream)
		if err != nil {
			require.True(t, wire == "" || stream, "%q", wire)
			return
		}
		got := decodeWhole(t, NewRequestDecoder(DecoderConfig{}, nil), []byte(wire), true)
		require.Empty(t, got.reason, "%q", wire)
		require.Len(t, got.messages, 1, "%q", wire)
		require.Empty(t, got.leftover, "%q", wire)
		read := got.messages[0]
		require.Equal(t, method, read.Method)
		require.Equal(t, target, octetsOf(read.Target))
		require.Equal(t, body, read.Body, "%q", wire)
		if nameOf(name) != fieldExpect {
			require.Contains(t, read.Headers, [2]string{latin1([]byte(name)), latin1([]byte(trimBlanks(value)))})
		}

		standard, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire)))
		if err != nil {
			requireStricter(t, err, stricter, wire)
			return
		}
		octets, err := io.ReadAll(standard.Body)
		require.NoError(t, err)
		require.Equal(t, method, standard.Method)
		require.Equal(t, target, standard.RequestURI)
		require.Equal(t, body, string(octets), "%q", wire)
	})
}
