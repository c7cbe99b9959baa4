//go:build !race && !bufdebug

package nethttp_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx/nethttp"
)

func TestSmallAnswersAllocateLittle(t *testing.T) {
	b := newBench(t, &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		writeAll(w, "Hello, World!")
	})})
	request := []byte("GET /hello HTTP/1.1\r\nHost: a.example\r\nUser-Agent: test\r\nAccept: */*\r\n\r\n")
	round := func() {
		if err := b.Embedded.Feed(request); err != nil {
			t.Fatal(err)
		}
		if err := b.bridge.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.RunPending()
		b.DiscardWire()
	}
	for range 50 {
		round()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(500, round), 30.0)
}
