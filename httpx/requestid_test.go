package httpx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// idOf sends a request with those lines and returns the id of the answer, and that which the handler saw.
func idOf(t *testing.T, r httpx.RequestID, field string, lines ...string) (answered, seen string) {
	t.Helper()
	middleware, err := r.Middleware()
	require.NoError(t, err)
	ch := answering(t, httpx.Chain(func(_ *pipeline.Context, x *httpx.Exchange) error {
		n := 0
		for value := range x.Request.Header.Values(field) {
			seen = string(value)
			n++
		}
		require.Equal(t, 1, n)
		return x.RespondText(200, "")
	}, middleware))
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\n" + strings.Join(append(lines, ""), "\r\n") + "\r\n")
	return readAnswer(t, ch.Wire(), "GET").Header.Get(field), seen
}

func TestEveryRequestGetsAnID(t *testing.T) {
	ids := map[string]bool{}
	for range 100 {
		answered, seen := idOf(t, httpx.RequestID{}, "X-Request-Id")
		require.Equal(t, seen, answered)
		require.Len(t, seen, 26)
		ids[seen] = true
	}
	require.Len(t, ids, 100)
	answered, seen := idOf(t, httpx.RequestID{Field: "Trace"}, "Trace", "trace: mine")
	require.Equal(t, seen, answered)
	require.NotEqual(t, "mine", seen, "an id that comes with the request is not taken by itself")
}

func TestIDsOfAProxyAreAcceptedWhenTheyAreSane(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		taken bool
	}{
		"sane":      {[]string{"X-Request-Id: aZ09-._"}, true},
		"longest":   {[]string{"X-Request-Id: " + strings.Repeat("a", 64)}, true},
		"too long":  {[]string{"X-Request-Id: " + strings.Repeat("a", 65)}, false},
		"empty":     {[]string{"X-Request-Id:"}, false},
		"a blank":   {[]string{"X-Request-Id: a b"}, false},
		"markup":    {[]string{"X-Request-Id: <b>"}, false},
		"two lines": {[]string{"X-Request-Id: a", "X-Request-Id: a"}, false},
		"none":      {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			answered, seen := idOf(t, httpx.RequestID{Accept: true}, "X-Request-Id", c.lines...)
			require.Equal(t, seen, answered)
			require.Equal(t, c.taken, len(c.lines) > 0 && c.lines[0] == "X-Request-Id: "+seen)
		})
	}
}

func TestIDNeedsAFieldThatCanBe(t *testing.T) {
	_, err := httpx.RequestID{Field: "a b"}.Middleware()
	require.Error(t, err)
}
