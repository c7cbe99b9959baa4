package httpx_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// proxied is a client that goes through the scripted proxy "proxy:1".
func proxied(t *testing.T, p httpx.Proxy) *clientNet {
	t.Helper()
	n := newClientNet(t, &httpx.Client{})
	n.net.Listen("proxy:1", nil)
	p.Address = "proxy:1"
	n.client.Dial = p.Dial(n.net.Dial)
	return n
}

// proxy waits for the first connection to the proxy and octets on it.
func (n *clientNet) proxy() *embedded.Channel {
	n.t.Helper()
	n.until(func() bool { return len(n.net.Dialed("proxy:1")) == 1 && n.net.Dialed("proxy:1")[0].Untaken() > 0 })
	return n.net.Dialed("proxy:1")[0]
}

func TestProxyOpensTheWay(t *testing.T) {
	var fields httpx.Header
	require.NoError(t, fields.Add("X-A", "1"))
	n := proxied(t, httpx.Proxy{User: "me", Password: "pass:word", Header: &fields})
	h := n.start(getHost())
	require.Equal(t, "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\nX-A: 1\r\nProxy-Authorization: Basic "+
		base64.StdEncoding.EncodeToString([]byte("me:pass:word"))+"\r\n\r\n", n.proxy().WireString())
	require.NoError(t, n.proxyFeed("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"))
	require.Equal(t, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", n.proxy().WireString())
	require.NoError(t, n.proxyFeed(okWire))
	h.complete(t, "head 200", "last ok")
	h = n.start(getHost())
	n.proxy().DiscardWire()
	require.NoError(t, n.proxyFeed(okWire))
	h.complete(t, "head 200", "last ok")
}

func (n *clientNet) proxyFeed(wire string) error {
	return n.net.Dialed("proxy:1")[0].FeedString(wire)
}

func TestProxyThatDoesNotOpenTheWay(t *testing.T) {
	as := func(target any) func(err error) bool { return func(err error) bool { return errors.As(err, target) } }
	is := func(target error) func(err error) bool { return func(err error) bool { return errors.Is(err, target) } }
	for name, row := range map[string]struct {
		do   func(n *clientNet) error
		want func(err error) bool
	}{
		"refused": {func(n *clientNet) error {
			return n.proxyFeed("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno")
		}, func(err error) bool {
			var refused *httpx.ProxyError
			return errors.As(err, &refused) && refused.Status == 407
		}},
		"gone":    {func(n *clientNet) error { n.proxy().PeerClose(); return nil }, is(httpx.ErrServerGone)},
		"reset":   {func(n *clientNet) error { n.proxy().PeerReset(); return nil }, is(syscall.ECONNRESET)},
		"no HTTP": {func(n *clientNet) error { return n.proxyFeed("hello\r\n") }, as(new(*httpx.Error))},
		"silence": {func(n *clientNet) error { n.net.AdvanceTime(httpx.DefaultConnectTimeout); return nil }, as(new(*httpx.TimeoutError))},
	} {
		t.Run(name, func(t *testing.T) {
			n := proxied(t, httpx.Proxy{})
			h := n.start(getHost())
			n.proxy()
			require.NoError(t, row.do(n))
			n.until(func() bool { return h.ended })
			require.True(t, row.want(h.err), "%v", h.err)
			n.net.RunPending()
			require.True(t, n.net.Dialed("proxy:1")[0].Closed())
		})
	}
}

func TestProxyRefusesWhatItCannotAskFor(t *testing.T) {
	for name, row := range map[string]struct {
		proxy   httpx.Proxy
		address string
	}{
		"no port":            {address: "unix:///tmp/x"},
		"a colon in a user":  {proxy: httpx.Proxy{User: "a:b"}, address: "h:80"},
		"a nobody as a user": {proxy: httpx.Proxy{User: "a", Address: "nobody:1"}, address: "h:80"},
	} {
		t.Run(name, func(t *testing.T) {
			n := proxied(t, row.proxy)
			if row.proxy.Address != "" {
				n.client.Dial = row.proxy.Dial(n.net.Dial)
			}
			h := &heard{}
			h.Address = row.address
			require.NoError(t, n.client.Start(n.ctx, getHost(), h.call()))
			n.until(func() bool { return h.ended })
			require.Error(t, h.err)
		})
	}
}

func TestProxyDialDoesNotBlockItsLoop(t *testing.T) {
	n := proxied(t, httpx.Proxy{})
	_, err := n.client.Dial(t.Context(), "h:80", nil)
	require.ErrorIs(t, err, pipeline.ErrOnLoop)
	n.net.RunPending()
}

// activeLog notes that it was told of the connection.
type activeLog struct{ active int }

func (a *activeLog) HandleActive(ctx *pipeline.Context) error {
	a.active++
	ctx.FireActive()
	return nil
}

func TestProxyTellsTheHandlersOnceAndGivesThemWhatFollows(t *testing.T) {
	n := proxied(t, httpx.Proxy{})
	a, s := &activeLog{}, &shouter{}
	result := make(chan error, 1)
	go func() {
		_, err := n.client.Dial(t.Context(), "h:80", func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(a, s) })
		result <- err
		_ = n.ctx.Loop().Post(func() {})
	}()
	n.proxy().DiscardWire()
	require.Zero(t, a.active)
	require.NoError(t, n.proxyFeed("HTTP/1.1 200 OK\r\n\r\nhello"))
	n.until(func() bool { return len(result) > 0 })
	require.NoError(t, <-result)
	require.Equal(t, "HELLO", n.proxy().WireString())
	require.Equal(t, 1, a.active)
	require.Len(t, n.net.Dialed("proxy:1")[0].Pipeline().Names(), 2)
}

func TestProxyReportsTheErrorOfTheSetUpAndOfTheParent(t *testing.T) {
	sick := errors.New("sick")
	t.Run("set-up", func(t *testing.T) {
		n := proxied(t, httpx.Proxy{})
		result := make(chan error, 1)
		go func() {
			_, err := n.client.Dial(t.Context(), "h:80", func(*pipeline.Channel) error { return sick })
			result <- err
			_ = n.ctx.Loop().Post(func() {})
		}()
		n.proxy().DiscardWire()
		require.NoError(t, n.proxyFeed("HTTP/1.1 200 OK\r\n\r\n"))
		n.until(func() bool { return len(result) > 0 })
		require.ErrorIs(t, <-result, sick)
	})
	t.Run("parent", func(t *testing.T) {
		n := proxied(t, httpx.Proxy{})
		parent, stop := context.WithCancelCause(t.Context())
		result := make(chan error, 1)
		go func() {
			_, err := n.client.Dial(parent, "h:80", nil)
			result <- err
			_ = n.ctx.Loop().Post(func() {})
		}()
		n.proxy()
		stop(sick)
		n.until(func() bool { return len(result) > 0 })
		require.ErrorIs(t, <-result, sick)
		n.net.RunPending()
		require.True(t, n.net.Dialed("proxy:1")[0].Closed())
	})
}

func TestClientGoesThroughARealProxy(t *testing.T) {
	connects := make(chan string, 8)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connects <- r.Method + " " + r.Host
		far, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer far.Close()
		near, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer near.Close()
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(far, near) }()
		_, _ = io.Copy(near, far)
	}))
	defer proxy.Close()
	o := newOrigin(t, &httpx.Client{}, echoBody)
	dialer := &transport.Client{Loops: 1}
	o.client.Dial = httpx.Proxy{Address: proxy.Listener.Addr().String()}.Dial(dialer.Dial)
	for range 3 {
		status, body := o.do(t, o.request(httpx.MethodPost, "/", "hello"))
		require.Equal(t, 200, status)
		require.Equal(t, "hello", body)
	}
	require.Equal(t, "CONNECT "+o.Listener.Addr().String(), <-connects)
	require.Empty(t, connects)
	require.NoError(t, o.client.Close())
	require.NoError(t, dialer.Close())
}

func TestServerSideOfAProxyIsAnUpgrade(t *testing.T) {
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{
		Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.Upgrade(httpx.NewResponse(200), &shouter{})
		},
	}))
	ch.Feed("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\nhello")
	wire := ch.Wire()
	require.True(t, strings.HasPrefix(wire, "HTTP/1.1 200 OK\r\n"), wire)
	require.True(t, strings.HasSuffix(wire, "\r\n\r\nHELLO"), wire)
}
