package httpx

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Short forms for tests that decode.

const postChunked = "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

func requestDecoder(config DecoderConfig) func() decoder {
	return func() decoder { return NewRequestDecoder(config, new(State)) }
}

// decodeRequests decodes input in every way and returns what all of them gave.
func decodeRequests(tb testing.TB, config DecoderConfig, input string) result {
	tb.Helper()
	return decodeAnyhow(tb, requestDecoder(config), []byte(input), false, 20)
}

func requireRefused(tb testing.TB, input string, status int, reason string) {
	tb.Helper()
	got := decodeRequests(tb, DecoderConfig{}, input)
	require.Equal(tb, result{status: status, reason: reason}, got, "%q", input)
}

func requireAccepted(tb testing.TB, config DecoderConfig, input string) message {
	tb.Helper()
	got := decodeRequests(tb, config, input)
	require.Empty(tb, got.reason, "%q", input)
	require.Len(tb, got.messages, 1, "%q", input)
	require.Empty(tb, got.leftover)
	return got.messages[0]
}

// decodeHead returns the one request that input begins with; the caller releases it.
func decodeHead(tb testing.TB, input string) *Request {
	tb.Helper()
	in := buffer.FromString(input)
	defer in.Release()
	m, ok, err := NewRequestDecoder(DecoderConfig{}, nil).Decode(in)
	require.NoError(tb, err)
	require.True(tb, ok)
	return m.(*Request)
}

func getWith(fields ...string) string {
	return "GET / HTTP/1.1\r\n" + strings.Join(append([]string{"Host: a"}, fields...), "\r\n") + "\r\n\r\n"
}

func TestDecodersEmitWhatTheySay(t *testing.T) {
	check := func(d decoder, emits []reflect.Type, input string) {
		in := buffer.FromString(input)
		defer in.Release()
		seen := map[reflect.Type]bool{}
		for in.Len() > 0 {
			m, ok, err := d.Decode(in)
			require.NoError(t, err)
			if ok {
				require.Contains(t, emits, reflect.TypeOf(m))
				seen[reflect.TypeOf(m)] = true
				buffer.Release(m)
			}
		}
		require.Len(t, seen, len(emits))
	}
	r, s := NewRequestDecoder(DecoderConfig{}, nil), NewResponseDecoder(DecoderConfig{}, nil)
	check(r, r.Emits(), postChunked+"1\r\na\r\n0\r\n\r\n")
	check(s, s.Emits(), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
}
