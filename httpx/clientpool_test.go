package httpx_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// serveOnce has the i-th connection serve one call.
func (n *clientNet) serveOnce(i int, fields ...string) {
	n.t.Helper()
	h := n.start(getHost(fields...))
	n.asked(i)
	n.answer(i, okWire)
	h.complete(n.t, "head 200", "last ok")
}

func TestClientClosesConnectionsThatGetOctetsOrTheirEndUnused(t *testing.T) {
	for name, do := range map[string]func(n *clientNet){
		"octets": func(n *clientNet) { n.answer(0, "x") },
		"end":    func(n *clientNet) { n.conn(0).PeerClose() },
		"reset":  func(n *clientNet) { n.conn(0).PeerReset() },
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			n.serveOnce(0)
			do(n)
			require.True(t, n.conn(0).Closed())
			n.serveOnce(1)
		})
	}
}

func TestClientDoesNotUseAConnectionAgain(t *testing.T) {
	for name, row := range map[string]struct{ wire, field string }{
		"the server closes":         {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", ""},
		"the client closes":         {okWire, "close"},
		"HTTP/1.0":                  {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", ""},
		"octets behind the body":    {okWire + "x", ""},
		"a second response":         {okWire + okWire, ""},
		"the server keeps it short": {"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=9\r\nContent-Length: 2\r\n\r\nok", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			req := getHost()
			if row.field != "" {
				require.NoError(t, req.Header.Add("connection", row.field))
			}
			h := n.start(req)
			n.asked(0)
			n.answer(0, row.wire)
			h.complete(t, "head 200", "last ok")
			require.True(t, n.conn(0).Closed())
			n.serveOnce(1)
		})
	}
}

func TestClientNeverTakesASurplusResponseForTheNextOne(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	first, second := &heard{}, &heard{}
	call := first.call()
	call.OnEnd = func(error) { require.NoError(t, n.client.Start(n.ctx, getHost(), second.call())) }
	require.NoError(t, n.client.Start(n.ctx, getHost(), call))
	n.asked(0)
	n.answer(0, okWire+strings.Replace(okWire, "ok", "no", 1))
	n.asked(1)
	require.Empty(t, second.events)
	n.answer(1, okWire)
	second.complete(t, "head 200", "last ok")
}

func TestClientUntilCloseBodiesEndWithTheConnection(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.start(getHost())
	n.asked(0)
	n.answer(0, "HTTP/1.1 200 OK\r\n\r\nhel")
	n.answer(0, "lo")
	n.conn(0).PeerClose()
	h.complete(t, "head 200", "last hello")

	h = n.start(getHost())
	n.asked(1)
	n.answer(1, "HTTP/1.1 200 OK\r\n\r\nhel")
	n.conn(1).PeerReset()
	require.ErrorIs(t, h.err, httpx.ErrServerGone)
	require.Equal(t, []string{"head 200", "end"}, h.events)
}

func TestClientClosesUnusedConnectionsInTime(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	n.serveOnce(0)
	n.net.AdvanceTime(httpx.DefaultIdleTimeout - time.Millisecond)
	require.False(t, n.conn(0).Closed())
	n.serveOnce(0)
	n.net.AdvanceTime(httpx.DefaultIdleTimeout)
	require.True(t, n.conn(0).Closed())
}

func TestClientHeedsHowLongTheServerKeepsConnections(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.start(getHost())
	n.asked(0)
	n.answer(0, "HTTP/1.1 200 OK\r\nKeep-Alive: max=3, Timeout=5\r\nContent-Length: 2\r\n\r\nok")
	h.complete(t, "head 200", "last ok")
	n.net.AdvanceTime(4*time.Second - time.Millisecond)
	require.False(t, n.conn(0).Closed())
	n.net.AdvanceTime(time.Millisecond)
	require.True(t, n.conn(0).Closed())
}

func TestClientConnectionsHaveAMaximumAge(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxAge: 90 * time.Second})
	for range 3 {
		n.serveOnce(0)
		n.net.AdvanceTime(29 * time.Second)
	}
	n.net.AdvanceTime(3 * time.Second)
	require.True(t, n.conn(0).Closed())
	h := n.start(getHost())
	n.asked(1)
	n.net.AdvanceTime(29 * time.Second)
	n.answer(1, okWire)
	h.complete(t, "head 200", "last ok")
}

func TestClientBoundsConnectionsPerHostAndLetsOthersWait(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxConnsPerHost: 2, MaxWaiting: 3})
	var calls []*heard
	for range 2 {
		calls = append(calls, n.start(getHost()))
		n.asked(len(calls) - 1)
	}
	for range 3 {
		calls = append(calls, n.start(getHost()))
	}
	require.ErrorIs(t, n.client.Start(n.ctx, getHost(), (&heard{}).call()), httpx.ErrBusy)
	n.answer(0, okWire)
	calls[0].complete(t, "head 200", "last ok")
	n.asked(0)
	n.conn(1).PeerReset() // a connection less, and a new one for the next in the queue
	require.ErrorIs(t, calls[1].err, httpx.ErrServerGone)
	n.asked(2)
	n.answer(2, okWire)
	calls[3].complete(t, "head 200", "last ok")
	n.asked(2)
	n.answer(0, okWire)
	calls[2].complete(t, "head 200", "last ok")
	n.answer(2, okWire)
	calls[4].complete(t, "head 200", "last ok")
	require.Len(t, n.net.Dialed("h:80"), 3)
}

func TestClientBoundsUnusedConnections(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxIdlePerHost: 2, MaxIdle: 3})
	n.net.Listen("other:80", nil)
	serveTogether := func(host string, k int) {
		var calls []*heard
		for range k {
			h := &heard{}
			h.Address = host
			calls = append(calls, h)
			require.NoError(t, n.client.Start(n.ctx, getHost(), h.call()))
		}
		n.until(func() bool {
			asked := 0
			for _, conn := range n.net.Dialed(host) {
				asked += min(conn.Untaken(), 1)
			}
			return asked == k
		})
		for _, conn := range n.net.Dialed(host) {
			conn.WireString()
			require.NoError(t, conn.FeedString(okWire))
		}
		for _, h := range calls {
			h.complete(t, "head 200", "last ok")
		}
	}
	open := func(host string) (open []bool) {
		n.net.RunPending()
		for _, conn := range n.net.Dialed(host) {
			open = append(open, !conn.Closed())
		}
		return open
	}
	serveTogether("h:80", 3)
	require.Equal(t, []bool{false, true, true}, open("h:80"), "the longest unused goes")
	serveTogether("other:80", 2)
	require.Equal(t, []bool{true, true}, open("other:80"))
	require.Equal(t, []bool{false, false, true}, open("h:80"))
}

func TestClientCallsWaitForAConnectionOnlySoLong(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxConnsPerHost: 1, HeadTimeout: time.Minute})
	first, second := n.start(getHost()), n.start(getHost())
	n.asked(0)
	n.net.AdvanceTime(httpx.DefaultConnectTimeout)
	var late *httpx.TimeoutError
	require.ErrorAs(t, second.err, &late)
	require.Equal(t, "connection", late.What)
	n.answer(0, okWire)
	first.complete(t, "head 200", "last ok")
	n.serveOnce(0)
}

func TestClientGivesUpDialsThatTakeTooLong(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	ended := make(chan struct{})
	n.client.Dial = func(parent context.Context, _ string, _ func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		<-parent.Done()
		close(ended)
		return nil, context.Cause(parent)
	}
	h := n.start(getHost())
	n.net.AdvanceTime(httpx.DefaultConnectTimeout)
	var late *httpx.TimeoutError
	require.ErrorAs(t, h.err, &late)
	require.True(t, late.Timeout())
	require.NoError(t, n.client.Close())
	<-ended
}

func TestClientConnectionsThatEndRightAwayAreNotDialedForEver(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.start(getHost())
	n.asked(0)
	n.conn(0).PeerClose()
	require.ErrorIs(t, h.err, httpx.ErrServerGone)
	require.Len(t, n.net.Dialed("h:80"), 1)
}

func TestClientCallsThatWaitAgainHaveTheSameTime(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxConnsPerHost: 1})
	first, second := n.start(getHost()), n.start(getHost())
	n.asked(0)
	n.net.AdvanceTime(9 * time.Second)
	n.answer(0, okWire)
	first.complete(t, "head 200", "last ok")
	n.asked(0)
	n.net.AdvanceTime(9 * time.Second)
	ended := make(chan struct{})
	n.client.Dial = func(parent context.Context, _ string, _ func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		<-parent.Done()
		close(ended)
		return nil, context.Cause(parent)
	}
	n.conn(0).PeerReset()
	n.net.AdvanceTime(httpx.DefaultConnectTimeout - time.Millisecond)
	require.False(t, second.ended)
	n.net.AdvanceTime(time.Millisecond)
	var late *httpx.TimeoutError
	require.ErrorAs(t, second.err, &late)
	require.Equal(t, "connection", late.What)
	require.NoError(t, n.client.Close())
	<-ended
}

func TestClientConnectionsThatDieWhileTheyAreDialedAreAFailure(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	sick := errors.New("sick")
	n.client.Dial = func(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		ch, err := n.net.Dial(parent, address, init)
		if err != nil {
			return nil, err
		}
		gone := make(chan struct{})
		err = ch.Post(func() {
			ch.Pipeline().FireError(sick)
			_ = ch.Loop().Post(func() { close(gone) }) // runs when the channel has been taken down
		})
		<-gone
		return ch, err
	}
	h := n.start(getHost())
	n.until(func() bool { return h.ended })
	require.ErrorIs(t, h.err, sick)
	require.ErrorIs(t, n.result(n.do(t.Context(), getHost())).err, sick)
}
