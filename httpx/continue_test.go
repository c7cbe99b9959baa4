package httpx_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExpectationsThatNobodyKnowsFail(t *testing.T) {
	for name, c := range map[string]struct {
		line, expect string
		want         []string
	}{
		"100-continue":        {"POST / HTTP/1.1", "100-Continue", []string{"100", "200"}},
		"something else":      {"POST / HTTP/1.1", "a-miracle", []string{"417"}},
		"both":                {"POST / HTTP/1.1", "100-continue, a-miracle=1", []string{"417"}},
		"nothing":             {"POST / HTTP/1.1", "", []string{"200"}},
		"HTTP/1.0 has no say": {"POST / HTTP/1.0", "a-miracle", []string{"200"}},
	} {
		t.Run(name, func(t *testing.T) {
			ch := answering(t, collect)
			ch.Feed(c.line + "\r\nHost: x\r\nContent-Length: 3\r\nExpect: " + c.expect + "\r\n\r\n")
			if ch.Channel().IsOpen() {
				ch.Feed("abc")
			}
			require.Equal(t, c.want, statuses(ch.Wire()))
		})
	}
}

func TestAFailedExpectationWaitsForItsTurn(t *testing.T) {
	var h holder
	ch := answering(t, h.serve)
	ch.Feed(get("/") + "GET / HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n" + get("/"))
	require.Empty(t, ch.Wire())
	require.Len(t, h.all, 2)
	for _, x := range h.all {
		require.NoError(t, x.RespondText(200, ""))
		ch.RunPending()
	}
	require.Equal(t, []string{"200", "417", "200"}, statuses(ch.Wire()))
}
