package httpx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestClientSendsAgainWhenAUsedConnectionIsLost(t *testing.T) {
	for name, lose := range map[string]func(n *clientNet){
		"end":   func(n *clientNet) { n.conn(0).PeerClose() },
		"reset": func(n *clientNet) { n.conn(0).PeerReset() },
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			n.serveOnce(0)
			h := n.start(wholeRequest(httpx.MethodPut, "body"))
			first := n.asked(0)
			lose(n)
			require.Equal(t, first, n.asked(1))
			n.answer(1, okWire)
			h.complete(t, "head 200", "last ok")
		})
	}
}

func TestClientDoesNotSendAgain(t *testing.T) {
	get := func(n *clientNet) *heard { return n.start(getHost()) }
	for name, row := range map[string]struct {
		retries int
		fresh   bool
		start   func(n *clientNet) *heard
		before  string
	}{
		"on a new connection":   {fresh: true, start: get},
		"behind an octet":       {start: get, before: "H"},
		"behind an interim":     {start: get, before: "HTTP/1.1 103 Early Hints\r\n\r\n"},
		"POST":                  {start: func(n *clientNet) *heard { return n.start(wholeRequest(httpx.MethodPost, "")) }},
		"when it is not to":     {start: get, retries: -1},
		"a body sent in pieces": {start: func(n *clientNet) *heard { return n.stream(streamed(httpx.MethodPut, 4)) }},
		"a body that was held": {start: func(n *clientNet) *heard {
			return n.start(wholeRequest(httpx.MethodPut, "x", "Expect", "100-continue"))
		}},
		"a method nobody defined": {start: func(n *clientNet) *heard { return n.start(wholeRequest("FIX", "")) }},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{MaxRetries: row.retries})
			if !row.fresh {
				n.serveOnce(0)
			}
			h := row.start(n)
			n.asked(0)
			n.answer(0, row.before)
			n.conn(0).PeerReset()
			require.ErrorIs(t, h.err, httpx.ErrServerGone)
			require.Len(t, n.net.Dialed("h:80"), 1)
		})
	}
}

func TestClientSendsAgainSoOftenAndNoMore(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxIdlePerHost: 4})
	var calls []*heard
	for range 4 {
		calls = append(calls, n.start(getHost()))
	}
	n.until(func() bool {
		asked := 0
		for _, conn := range n.net.Dialed("h:80") {
			asked += min(conn.Untaken(), 1)
		}
		return asked == 4
	})
	for _, conn := range n.net.Dialed("h:80") {
		conn.DiscardWire()
		require.NoError(t, conn.FeedString(okWire))
	}
	h := n.start(getHost())
	for range 3 {
		for _, conn := range n.net.Dialed("h:80") {
			if conn.Untaken() > 0 {
				conn.DiscardWire()
				conn.PeerReset()
				break
			}
		}
	}
	require.ErrorIs(t, h.err, httpx.ErrServerGone)
	for _, c := range calls {
		c.complete(t, "head 200", "last ok")
	}
}

func TestClientSendsAnythingAgainThatWasNotSentAtAll(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	n.serveOnce(0)
	h := &heard{}
	require.NoError(t, n.ctx.Loop().Post(func() {
		// The connection is gone, and its end has not been told yet.
		n.net.Dialed("h:80")[0].Channel().Pipeline().Close(pipeline.CloseNow, nil)
		require.NoError(t, n.client.Stream(n.ctx, streamed(httpx.MethodPost, httpx.LengthChunked), h.call()))
		require.NoError(t, h.WriteBytes([]byte("hello")))
		require.NoError(t, h.End())
	}))
	n.net.RunPending()
	require.Contains(t, n.asked(1), "hello")
	n.answer(1, okWire)
	h.complete(t, "head 200", "last ok")
}
