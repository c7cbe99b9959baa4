package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func decodeResponses(tb testing.TB, input string, eof bool, sent ...exchange) result {
	tb.Helper()
	return decodeAnyhow(tb, func() decoder {
		state := new(State)
		for _, e := range sent {
			state.push(e)
		}
		return NewResponseDecoder(DecoderConfig{}, state)
	}, []byte(input), eof, 20)
}

func TestResponsesAnswerTheRequestsInOrder(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
	got := decodeResponses(t, ok+"HTTP/1.1 100 Continue\r\n\r\n"+ok+"hi"+ok,
		false, exchangeHead|exchangeKeepAlive, exchangeKeepAlive, exchangeHead|exchangeKeepAlive)
	require.Empty(t, got.reason)
	bodies := make([]string, len(got.messages))
	for i, m := range got.messages {
		bodies[i] = m.Body
	}
	require.Equal(t, []string{"", "", "hi", ""}, bodies)
}

func TestResponsesNobodyAskedForAreRefused(t *testing.T) {
	got := decodeResponses(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n", false, exchangeKeepAlive)
	require.Len(t, got.messages, 1)
	require.Equal(t, "response without a request", got.reason)
}

func TestResponseErrorsHaveNoStatus(t *testing.T) {
	for input, reason := range map[string]string{
		"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n":                               "bad content-length",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: x, chunked\r\n\r\n":                   "unsupported transfer coding",
		"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n":                      "transfer-encoding in 1.0",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc":                "bare LF in chunk line",
		"HTTP/1.1 200 " + strings.Repeat("a", DefaultLine):                           "status line too long",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", DefaultHead):                  "header too large",
		"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: 1\r\n", DefaultFields+1) + "\r\n": "too many fields",
		"HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n":                                 "bare LF",
		"HTTP/1.1 200 OK\r\nX-A : b\r\n\r\n":                                         "space before colon",
		"\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n":                           "bare CR",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na":         "duplicate content-length",
	} {
		got := decodeResponses(t, input, false, exchangeKeepAlive)
		require.Zero(t, got.status)
		if reason == "bare CR" {
			require.NotEmpty(t, got.reason)
			continue
		}
		require.Equal(t, reason, got.reason, "%q", input)
	}
}

func TestBodiesUntilTheCloseEndOnlyThere(t *testing.T) {
	got := decodeResponses(t, "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", true, exchangeKeepAlive, exchangeKeepAlive)
	require.Len(t, got.messages, 1)
	require.Equal(t, "HTTP/1.1 200 OK\r\n\r\n", got.messages[0].Body)
	require.False(t, got.messages[0].KeepAlive)
	got = decodeResponses(t, "HTTP/1.1 200 OK\r\n\r\nhi", false, exchangeKeepAlive)
	require.Empty(t, got.messages)
}

func TestNothingIsReadBehindAResponseThatCloses(t *testing.T) {
	const closing = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	got := decodeResponses(t, closing+closing, true, exchangeKeepAlive, exchangeKeepAlive)
	require.Len(t, got.messages, 1)
	require.False(t, got.messages[0].KeepAlive)
	require.Empty(t, got.reason)
}

func TestOldServersKeepAliveWhenTheySaySo(t *testing.T) {
	got := decodeResponses(t, "HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", false, exchangeKeepAlive)
	require.True(t, got.messages[0].KeepAlive)
}

func TestInterimResponsesNeverCloseTheConnection(t *testing.T) {
	got := decodeResponses(t, "HTTP/1.1 103 Early Hints\r\nConnection: close\r\nContent-Length: 5\r\n\r\n"+
		"HTTP/1.1 204 No Content\r\n\r\n", false, exchangeKeepAlive)
	require.Len(t, got.messages, 2)
	require.Empty(t, got.reason)
}
