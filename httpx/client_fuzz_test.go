package httpx_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// FuzzClient feeds a client whatever a server may say, cut in two, in answer to two requests one after the other. A call
// ends once, with a last piece exactly when it succeeds; nothing is left over.
func FuzzClient(f *testing.F) {
	for _, wire := range []string{
		okWire, okWire + okWire, "HTTP/1.1 100 Continue\r\n\r\n" + okWire, "HTTP/1.0 200 OK\r\n\r\nuntil close",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n" + okWire,
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\nx",
		"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nConnection: close\r\nContent-Length: 2\r\n\r\nokx",
	} {
		f.Add(wire, uint16(len(wire)/2), true)
		f.Add(wire, uint16(len(wire)), false)
	}
	f.Fuzz(func(t *testing.T, wire string, cut uint16, closes bool) {
		n := embedded.NewNetwork(embedded.Config{})
		n.Listen("h:80", nil)
		a := &asker{}
		_, err := n.Dial(t.Context(), "h:80", func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(a) })
		require.NoError(t, err)
		c := &httpx.Client{Dial: n.Dial}
		var calls []*heard
		for range 2 {
			h := &heard{}
			require.NoError(t, c.Start(a.ctx, getHost(), h.call()))
			calls = append(calls, h)
			parent, stop := context.WithTimeout(t.Context(), 10*time.Second)
			require.NoError(t, n.RunUntil(parent, func() bool {
				all := n.Dialed("h:80")
				return h.ended || all[len(all)-1].Untaken() > 0
			}))
			stop()
			all := n.Dialed("h:80")
			conn := all[len(all)-1]
			conn.DiscardWire()
			at := min(int(cut), len(wire))
			_ = conn.FeedString(wire[:at]) // it may have closed
			_ = conn.FeedString(wire[at:])
			if closes {
				conn.PeerClose()
			}
		}
		require.NoError(t, c.Close())
		n.RunPending()
		for _, h := range calls {
			require.True(t, h.ended)
			require.Equal(t, "end", h.events[len(h.events)-1])
			last := 0
			for _, e := range h.events {
				if len(e) >= 5 && e[:5] == "last " {
					last++
				}
			}
			if h.err == nil {
				require.Equal(t, 1, last)
			} else {
				require.Zero(t, last)
			}
		}
		_, err = n.Finish()
		require.NoError(t, err)
	})
}
