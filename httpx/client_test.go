package httpx_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

func TestClientUsesItsConnectionAgain(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	for range 3 {
		h := n.start(getHost("X-A", "1"))
		require.Equal(t, "GET / HTTP/1.1\r\nHost: h\r\nX-A: 1\r\n\r\n", n.asked(0))
		require.Empty(t, h.events)
		n.answer(0, okWire)
		h.complete(t, "head 200", "last ok")
	}
	require.Len(t, n.net.Dialed("h:80"), 1)
}

func TestClientGivesTheResponseInPieces(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.start(getHost())
	n.asked(0)
	n.answer(0, "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	require.Equal(t, []string{"interim 103", "head 200"}, h.events)
	n.answer(0, "5\r\nhello\r\n")
	require.Equal(t, "hello", h.body.String())
	n.answer(0, "0\r\nX-Sum: 7\r\n\r\n")
	h.complete(t, "interim 103", "head 200", "last hello", "trailers 7")
}

func TestClientResponsesWithoutABodyGiveEmptyLast(t *testing.T) {
	for name, row := range map[string]struct {
		method httpx.Method
		wire   string
		head   string
	}{
		"HEAD":         {httpx.MethodHead, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "head 200"},
		"no content":   {httpx.MethodGet, "HTTP/1.1 204 No Content\r\n\r\n", "head 204"},
		"not modified": {httpx.MethodGet, "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n", "head 304"},
		"length zero":  {httpx.MethodGet, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "head 200"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			for range 2 {
				h := n.start(wholeRequest(row.method, ""))
				n.asked(0)
				n.answer(0, row.wire)
				h.complete(t, row.head, "last ")
			}
		})
	}
}

func TestClientStartsInsideItsFunctions(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	second := &heard{}
	first := &heard{}
	call := first.call()
	end := call.OnEnd
	call.OnEnd = func(err error) {
		end(err)
		require.NoError(t, n.client.Start(n.ctx, getHost("X-A", "2"), second.call()))
		require.Empty(t, second.events)
	}
	require.NoError(t, n.client.Start(n.ctx, getHost("X-A", "1"), call))
	n.asked(0)
	n.answer(0, okWire)
	first.complete(t, "head 200", "last ok")
	require.Contains(t, n.asked(0), "X-A: 2")
	n.answer(0, okWire)
	second.complete(t, "head 200", "last ok")
}

func TestClientTakesTheHostFromTheRequestOrTheCall(t *testing.T) {
	for name, row := range map[string]struct{ target, host, address, dialed string }{
		"absolute target":     {"http://H:8/x", "", "", "h:8"},
		"default port":        {"http://h/x", "", "", "h:80"},
		"empty port":          {"http://h:/x", "", "", "h:80"},
		"host field":          {"/x", "h:8", "", "h:8"},
		"host without a port": {"/x", "h", "", "h:80"},
		"the call's address":  {"/x", "public", "h:8", "h:8"},
		"IPv6":                {"http://[::1]/x", "", "", "[::1]:80"},
		"IPv6 and port":       {"http://[::1]:8/x", "", "", "[::1]:8"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			n.net.Listen(row.dialed, nil)
			req := httpx.NewFullRequest(httpx.MethodGet, row.target)
			if row.host != "" {
				require.NoError(t, req.Header.Add("host", row.host))
			}
			h := &heard{}
			h.Address = row.address
			require.NoError(t, n.client.Start(n.ctx, req, h.call()))
			n.until(func() bool { return len(n.net.Dialed(row.dialed)) == 1 })
			conn := n.net.Dialed(row.dialed)[0]
			n.until(func() bool { return conn.Untaken() > 0 })
			require.Contains(t, conn.WireString(), "GET /x HTTP/1.1\r\n")
		})
	}
}

func TestClientDialsHTTPSOtherwise(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	n.net.Listen("h:443", nil)
	var secure []string
	n.client.DialTLS = func(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		secure = append(secure, address)
		return n.net.Dial(parent, address, init)
	}
	n.serveOnce(0)
	h := &heard{}
	require.NoError(t, n.client.Start(n.ctx, httpx.NewFullRequest(httpx.MethodGet, "HTTPS://h/x"), h.call()))
	n.until(func() bool { return len(n.net.Dialed("h:443")) == 1 && n.net.Dialed("h:443")[0].Untaken() > 0 })
	require.Equal(t, "GET /x HTTP/1.1\r\nHost: h\r\n\r\n", n.net.Dialed("h:443")[0].WireString())
	require.NoError(t, n.net.Dialed("h:443")[0].FeedString(okWire))
	h.complete(t, "head 200", "last ok")
	require.Equal(t, []string{"h:443"}, secure)
}

func TestClientRefusesWhatItCannotSend(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	for target, want := range map[string]string{
		"ftp://h/": "scheme", "https://h/": "scheme", "/x": "host", "http:///x": "host", "http://u@h/": "host",
	} {
		err := n.client.Start(n.ctx, httpx.NewFullRequest(httpx.MethodGet, target), (&heard{}).call())
		require.ErrorContains(t, err, want, target)
	}
	require.Error(t, new(httpx.Client).Start(n.ctx, getHost(), (&heard{}).call()), "without Dial")
	h := n.start(wholeRequest(httpx.MethodTrace, "body"))
	n.until(func() bool { return h.ended })
	require.ErrorContains(t, h.err, "content in TRACE")
	require.ErrorIs(t, n.client.Start(n.ctx, getHost(), &h.Call), httpx.ErrCallUsed)
	h = n.start(getHost())
	require.NotEmpty(t, n.asked(0), "the connection is as good as before")
	n.answer(0, okWire)
	h.complete(t, "head 200", "last ok")
}

func TestClientReportsThatDialingFailed(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := &heard{}
	h.Address = "nobody:1"
	require.NoError(t, n.client.Start(n.ctx, getHost(), h.call()))
	n.until(func() bool { return h.ended })
	require.ErrorContains(t, h.err, "connection refused")
	require.Equal(t, []string{"end"}, h.events)
}

func TestClientCloseEndsAllCalls(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxConnsPerHost: 1})
	active, waiting := n.start(getHost()), n.start(getHost())
	n.asked(0)
	require.NoError(t, n.client.Close())
	n.until(func() bool { return active.ended && waiting.ended })
	require.ErrorIs(t, active.err, httpx.ErrClientClosed)
	require.ErrorIs(t, waiting.err, httpx.ErrClientClosed)
	require.True(t, n.conn(0).Closed())
	require.ErrorIs(t, n.client.Start(n.ctx, getHost(), (&heard{}).call()), httpx.ErrClientClosed)
	require.NoError(t, n.client.Close())
}

func TestClientCloseClosesUnusedConnections(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	n.start(getHost())
	n.asked(0)
	n.answer(0, okWire)
	require.False(t, n.conn(0).Closed())
	require.NoError(t, n.client.Close())
	n.net.RunPending()
	require.True(t, n.conn(0).Closed())
}

func TestClientDoesNotBlockItsOwnLoop(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	for range 2 { // dialed, then unused
		_, err := n.client.Do(t.Context(), getHost())
		require.ErrorIs(t, err, pipeline.ErrOnLoop)
	}
	h := n.start(getHost())
	n.asked(0)
	n.answer(0, okWire)
	h.complete(t, "head 200", "last ok")
	n.net.AdvanceTime(time.Second)
}
