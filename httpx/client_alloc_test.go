//go:build !race && !bufdebug

package httpx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
)

// A request over a kept connection on the caller's own loop costs its Call and the growth of nothing else: one
// allocation, which is part of whatever the caller keeps of the request.
func TestClientRequestOverAKeptConnectionCostsOneAllocation(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	var header httpx.Header
	require.NoError(t, header.Add("host", "h"))
	octets := []byte(okWire)
	var failed error
	ended := 0
	onEnd := func(err error) {
		ended++
		failed = err
	}
	round := func() {
		req := httpx.NewFullRequest(httpx.MethodGet, "/")
		req.Header.AddAll(&header)
		call := &httpx.Call{OnEnd: onEnd}
		if err := n.client.Start(n.ctx, req, call); err != nil {
			t.Fatal(err)
		}
		n.net.RunPending()
		conn := n.net.Dialed("h:80")[0]
		if conn.DiscardWire() == 0 {
			t.Fatal("not sent")
		}
		if err := conn.Feed(octets); err != nil {
			t.Fatal(err)
		}
	}
	n.serveOnce(0)
	for range 50 {
		round()
	}
	allocations := testing.AllocsPerRun(500, round)
	t.Logf("%v allocations", allocations)
	require.LessOrEqual(t, allocations, 1.0)
	require.NoError(t, failed)
	require.Equal(t, 551, ended)
}
