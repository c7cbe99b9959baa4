package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheDemoGoesFromWebSocketToTCP(t *testing.T) {
	h := mustHub(t)
	var out strings.Builder
	d := demo{addr: serve(t, h), count: 50, every: time.Microsecond, out: &out}
	require.NoError(t, d.run(t.Context()))
	require.Regexp(t, `^demo: 50 messages went over STOMP over WebSocket and came over STOMP over TCP, in [^\n]+\n`+
		`demo: GET /status\.json gave \d+ bytes\n$`, out.String())
	h.mu.Lock()
	defer h.mu.Unlock()
	require.Equal(t, map[string]int{"HTTP": 2, "STOMP": 1, "STOMP over WebSocket": 1}, h.seen)
}

func TestTheDemoEndsWithItsParent(t *testing.T) {
	h := mustHub(t)
	addr := serve(t, h)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	d := demo{addr: addr, count: 2, every: time.Hour, out: new(strings.Builder)}
	require.ErrorIs(t, d.run(ctx), context.DeadlineExceeded)
}

func TestTheDemoSaysThatNobodyListens(t *testing.T) {
	h := mustHub(t)
	addr, err := listen(t.Context(), h, "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, h.server.Close())
	d := demo{addr: addr.String(), count: 1, every: 1, out: new(strings.Builder)}
	require.ErrorContains(t, d.run(t.Context()), "refused")
}
