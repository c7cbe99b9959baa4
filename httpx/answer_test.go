package httpx_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readAnswer reads one answer to a request with that method, its body included, by the standard library.
func readAnswer(t testing.TB, wire, method string) *http.Response {
	t.Helper()
	r := bufio.NewReader(strings.NewReader(wire))
	answer, err := http.ReadResponse(r, &http.Request{Method: method})
	require.NoError(t, err, "%q", wire)
	if method != http.MethodConnect {
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err, "%q", wire)
		answer.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	return answer
}

// bodyOf returns the body of an answer.
func bodyOf(t testing.TB, answer *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(body)
}
