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

// stream starts a call whose body is sent in pieces.
func (n *clientNet) stream(req *httpx.Request) *heard {
	n.t.Helper()
	h := &heard{}
	require.NoError(n.t, n.client.Stream(n.ctx, req, h.call()))
	n.net.RunPending()
	return h
}

func TestCallSendsItsBodyInPieces(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.stream(streamed(httpx.MethodPost, httpx.LengthChunked))
	require.NoError(t, h.WriteBytes([]byte("before the connection")))
	require.True(t, strings.HasSuffix(n.asked(0), "\r\n\r\n15\r\nbefore the connection\r\n"))
	require.NoError(t, h.WriteBytes([]byte("hello")))
	n.net.RunPending()
	require.Equal(t, "5\r\nhello\r\n", n.asked(0))
	require.NoError(t, h.End())
	require.ErrorIs(t, h.End(), httpx.ErrBodyEnded)
	require.False(t, h.Writable())
	n.net.RunPending()
	require.Equal(t, "0\r\n\r\n", n.asked(0))
	n.answer(0, okWire)
	h.complete(t, "head 200", "last ok")
	require.NoError(t, h.WriteBytes([]byte("dropped")))
	n.serveOnce(0)
}

func TestCallWithoutABodyTakesItsEnd(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.stream(streamed(httpx.MethodGet, 0))
	require.False(t, h.Writable())
	require.NoError(t, h.End())
	require.ErrorIs(t, h.WriteBytes([]byte("x")), httpx.ErrBodyEnded)
	require.Equal(t, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", n.asked(0))
	n.answer(0, okWire)
	h.complete(t, "head 200", "last ok")
}

func TestCallFieldsOrLengthSayThatThereIsABody(t *testing.T) {
	for name, row := range map[string]struct {
		length int64
		fields []string
		body   bool
	}{
		"nothing":           {0, nil, false},
		"a length":          {3, nil, true},
		"chunks":            {httpx.LengthChunked, nil, true},
		"a length field":    {0, []string{"Content-Length", "3"}, true},
		"a length field, 0": {3, []string{"Content-Length", "0"}, false},
		"a coding":          {0, []string{"Transfer-Encoding", "chunked"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := n.stream(streamed(httpx.MethodPost, row.length, row.fields...))
			require.Equal(t, row.body, h.Writable())
			if row.body {
				require.NoError(t, h.WriteBytes([]byte("abc")))
				require.NoError(t, h.WriteBytes(nil))
				require.NoError(t, h.End())
			}
			require.Equal(t, row.body, strings.Contains(n.asked(0), "abc"))
			n.answer(0, okWire)
			h.complete(t, "head 200", "last ok")
		})
	}
}

func TestCallBodiesThatContradictTheirLengthEndTheCall(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.stream(streamed(httpx.MethodPost, 3))
	n.asked(0)
	require.NoError(t, h.WriteBytes([]byte("four")))
	n.net.RunPending()
	require.ErrorContains(t, h.err, "body longer than content-length")
	require.True(t, n.conn(0).Closed())
}

func TestCallTellsWhenItIsWritable(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.stream(streamed(httpx.MethodPost, httpx.LengthChunked))
	conn := n.conn(0)
	n.asked(0)
	conn.Block()
	written := 0
	for h.Writable() {
		require.NoError(t, h.WriteBytes(make([]byte, 16<<10)))
		n.net.RunPending()
		written += 16 << 10
	}
	require.Greater(t, written, 128<<10)
	require.Less(t, written, 256<<10)
	require.Empty(t, h.events)
	conn.AcceptBytes(64 << 10)
	n.net.RunPending()
	conn.Unblock()
	n.net.RunPending()
	require.Equal(t, []string{"writable"}, h.events)
	require.True(t, h.Writable())
	require.NoError(t, h.End())
	n.net.RunPending()
	n.answer(0, okWire)
	h.complete(t, "writable", "head 200", "last ok")
	require.Greater(t, len(n.asked(0)), written)
}

func TestCallRefusesMoreThanItsHardCap(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.stream(streamed(httpx.MethodPost, httpx.LengthChunked))
	n.asked(0)
	n.conn(0).Block()
	for range 20 {
		if err := h.WriteBytes(make([]byte, 1<<20)); err != nil {
			require.ErrorIs(t, err, pipeline.ErrOutboundFull)
			h.Cancel(err)
			n.net.RunPending()
			return
		}
	}
	t.Fatal("no bound")
}

func TestCallReadsWhileItsBodyCannotBeSent(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.stream(streamed(httpx.MethodPost, httpx.LengthChunked))
	n.asked(0)
	n.conn(0).Block()
	for h.Writable() {
		require.NoError(t, h.WriteBytes(make([]byte, 16<<10)))
		n.net.RunPending()
	}
	n.answer(0, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nec")
	require.Equal(t, []string{"head 200"}, h.events)
	require.Equal(t, "ec", h.body.String())
	n.answer(0, "ho")
	h.complete(t, "head 200", "last echo")
	require.True(t, n.conn(0).Closed(), "the request is not complete")
}

func TestCallPausesTheConnection(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := &heard{}
	call := h.call()
	h.onHead = call.PauseBody
	require.NoError(t, n.client.Start(n.ctx, getHost(), call))
	n.asked(0)
	const size = 4 << 20
	n.answer(0, "HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\n\r\n")
	n.answer(0, strings.Repeat("x", size))
	require.Zero(t, h.body.Len())
	require.Greater(t, n.conn(0).Unread(), size-(1<<20), "the rest has to wait at the server's end")
	n.net.AdvanceTime(time.Minute) // nothing is expected meanwhile
	for h.body.Len() < size && !h.ended {
		before := h.body.Len()
		call.ResumeBody()
		n.net.RunPending()
		call.PauseBody()
		require.Greater(t, h.body.Len(), before)
	}
	require.NoError(t, h.err)
	require.Equal(t, size, h.body.Len())
	require.True(t, h.ended)
	n.serveOnce(0)
}

func TestCallPausedInTheMiddleOfWhatWaits(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := &heard{}
	call := h.call()
	pieces := 0
	take := call.OnContent
	call.OnContent = func(c *httpx.Content) error {
		pieces++
		call.PauseBody()
		return take(c)
	}
	require.NoError(t, n.client.Start(n.ctx, getHost(), call))
	n.asked(0)
	n.answer(0, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n")
	for i, want := range []string{"a", "ab", "abc"} {
		require.Equal(t, want, h.body.String())
		require.Equal(t, i+1, pieces)
		require.False(t, h.ended)
		call.ResumeBody()
	}
	require.True(t, h.ended)
	require.NoError(t, h.err)
}

func TestCallCancelledEndsWithTheCause(t *testing.T) {
	sick := errors.New("sick")
	for name, prepare := range map[string]func(n *clientNet){
		"waiting":      func(*clientNet) {},
		"asked":        func(n *clientNet) { n.asked(0) },
		"in the body":  func(n *clientNet) { n.asked(0); n.answer(0, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") },
		"with a queue": func(n *clientNet) { n.asked(0) },
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := n.start(getHost())
			if name == "with a queue" {
				h.PauseBody()
			}
			prepare(n)
			if name == "with a queue" {
				n.answer(0, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
			}
			before := len(h.events)
			h.Cancel(sick)
			h.Cancel(errors.New("too late"))
			require.Len(t, h.events, before, "not inside Cancel")
			n.net.RunPending()
			require.Equal(t, "end", h.events[len(h.events)-1])
			require.Len(t, h.events, before+1)
			require.ErrorIs(t, h.err, sick)
			if name != "waiting" {
				require.True(t, n.conn(0).Closed())
			}
		})
	}
}

func TestCallCancelledWithoutACause(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.start(getHost())
	n.asked(0)
	h.Cancel(nil)
	n.net.RunPending()
	require.ErrorIs(t, h.err, context.Canceled)
}

func TestCallErrorsOfItsFunctionsEndIt(t *testing.T) {
	sick := errors.New("sick")
	for name, arrange := range map[string]func(c *httpx.Call){
		"head":    func(c *httpx.Call) { c.OnResponse = func(r *httpx.Response) error { r.Release(); return sick } },
		"content": func(c *httpx.Call) { c.OnContent = func(p *httpx.Content) error { p.Release(); return sick } },
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := &heard{}
			arrange(h.call())
			require.NoError(t, n.client.Start(n.ctx, getHost(), &h.Call))
			n.asked(0)
			n.answer(0, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
			require.ErrorIs(t, h.err, sick)
			require.True(t, n.conn(0).Closed())
		})
	}
}

func TestCallEndsWhenOneOfItsFunctionsPanics(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := &heard{}
	call := h.call()
	call.OnContent = func(c *httpx.Content) error {
		c.Release()
		panic("boom")
	}
	require.NoError(t, n.client.Start(n.ctx, getHost(), call))
	n.asked(0)
	require.ErrorContains(t, n.conn(0).FeedString(okWire), "boom")
	n.net.RunPending()
	require.True(t, h.ended)
	require.ErrorContains(t, h.err, "panicked")
	require.True(t, n.conn(0).Closed())
}

func TestCallWithoutFunctionsIsSentAllTheSame(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	require.NoError(t, n.client.Start(n.ctx, getHost(), &httpx.Call{}))
	n.asked(0)
	n.answer(0, "HTTP/1.1 102 Processing\r\n\r\n"+okWire)
	n.serveOnce(0)
}

func TestCallWaitsForTheServersWordBeforeItsBody(t *testing.T) {
	expect := []string{"Expect", "100-continue"}
	head := "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
	whole := func(n *clientNet) *heard { return n.start(wholeRequest(httpx.MethodPost, "body", expect...)) }
	pieces := func(n *clientNet) *heard {
		h := n.stream(streamed(httpx.MethodPost, 4, expect...))
		require.False(n.t, h.Writable())
		require.NoError(n.t, h.WriteBytes([]byte("body")))
		require.NoError(n.t, h.End())
		return h
	}
	for name, start := range map[string]func(n *clientNet) *heard{"whole": whole, "pieces": pieces} {
		t.Run(name+", continue", func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := start(n)
			require.Equal(t, head, n.asked(0))
			n.net.AdvanceTime(httpx.DefaultContinueWait - time.Millisecond)
			require.Zero(t, n.conn(0).Untaken())
			n.answer(0, "HTTP/1.1 100 Continue\r\n\r\n")
			require.Equal(t, "body", n.asked(0))
			n.answer(0, okWire)
			require.NoError(t, h.err)
			require.Equal(t, "ok", h.body.String())
			n.serveOnce(0)
		})
		t.Run(name+", never for ever", func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := start(n)
			require.Equal(t, head, n.asked(0))
			n.net.AdvanceTime(httpx.DefaultContinueWait)
			require.Equal(t, "body", n.asked(0))
			n.answer(0, okWire)
			require.NoError(t, h.err)
			require.True(t, h.ended)
		})
		t.Run(name+", refused", func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := start(n)
			require.Equal(t, head, n.asked(0))
			n.answer(0, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
			h.complete(t, "head 413", "last ")
			require.Zero(t, n.conn(0).Untaken(), "the body is not sent")
			require.True(t, n.conn(0).Closed())
		})
	}
}

func TestCallIsWritableAgainWhenTheServerWantsTheBody(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.stream(streamed(httpx.MethodPost, 4, "Expect", "100-continue"))
	n.asked(0)
	require.False(t, h.Writable())
	n.answer(0, "HTTP/1.1 100 Continue\r\n\r\n")
	require.Equal(t, []string{"writable"}, h.events)
	require.True(t, h.Writable())
	require.NoError(t, h.WriteBytes([]byte("body")))
	require.NoError(t, h.End())
	n.net.RunPending()
	n.answer(0, okWire)
	h.complete(t, "writable", "head 200", "last ok")
}

func TestCallDeadlines(t *testing.T) {
	for name, row := range map[string]struct {
		wire, what string
		after      time.Duration
	}{
		"no head":                          {"", "response head", httpx.DefaultHeadTimeout},
		"half a head":                      {"HTTP/1.1 200 OK\r\nX:", "response head", httpx.DefaultHeadTimeout},
		"interim responses do not help":    {"HTTP/1.1 103 Early Hints\r\n\r\n", "response head", httpx.DefaultHeadTimeout},
		"no body":                          {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "more of the response", httpx.DefaultBodyTimeout},
		"no end of a body until the close": {"HTTP/1.1 200 OK\r\n\r\nabc", "more of the response", httpx.DefaultBodyTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := n.start(getHost())
			n.asked(0)
			n.answer(0, row.wire)
			n.net.AdvanceTime(row.after - time.Millisecond)
			require.False(t, h.ended)
			n.net.AdvanceTime(time.Millisecond)
			var late *httpx.TimeoutError
			require.ErrorAs(t, h.err, &late)
			require.Equal(t, row.what, late.What)
			require.Contains(t, late.Error(), row.what)
			require.True(t, n.conn(0).Closed())
			require.Len(t, n.net.Dialed("h:80"), 1, "not sent again")
		})
	}
}

func TestCallOctetsOfTheBodyKeepItAlive(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.start(getHost())
	n.asked(0)
	n.answer(0, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
	for range 4 {
		n.net.AdvanceTime(httpx.DefaultBodyTimeout - time.Millisecond)
		n.answer(0, "x")
	}
	h.complete(t, "head 200", "last xxxx")
}

func TestCallUploadsHaveNoHeadDeadline(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := n.stream(streamed(httpx.MethodPost, httpx.LengthChunked))
	n.asked(0)
	for range 4 {
		n.net.AdvanceTime(httpx.DefaultHeadTimeout)
		require.NoError(t, h.WriteBytes([]byte("x")))
	}
	require.NoError(t, h.End())
	n.net.AdvanceTime(httpx.DefaultHeadTimeout - time.Millisecond)
	require.False(t, h.ended)
	n.net.AdvanceTime(time.Millisecond)
	require.ErrorAs(t, h.err, new(*httpx.TimeoutError))
}

func TestCallBadResponsesEndIt(t *testing.T) {
	for name, wire := range map[string]string{
		"no HTTP":         "hello\r\n\r\n",
		"two lengths":     "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"smuggling":       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"a large head":    "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n",
		"a bad chunk":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
		"too many hints":  strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 33),
		"unasked upgrade": "HTTP/1.1 101 Switching Protocols\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := n.start(getHost())
			n.asked(0)
			n.answer(0, wire)
			var bad *httpx.Error
			require.ErrorAs(t, h.err, &bad)
			require.NotErrorIs(t, h.err, httpx.ErrServerGone)
			require.True(t, n.conn(0).Closed())
		})
	}
}

func TestCallUpgradeHandsOverTheConnection(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxConnsPerHost: 1})
	h := &heard{}
	call := h.call()
	call.OnUpgrade = func(r *httpx.Response, ch *pipeline.Channel) error {
		h.note("upgrade " + string(r.Header.Get("upgrade")))
		r.Release()
		return ch.Pipeline().AddLast(&shouter{})
	}
	require.NoError(t, n.client.Start(n.ctx, getHost("Upgrade", "shout", "Connection", "upgrade"), call))
	n.asked(0)
	n.answer(0, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: shout\r\nConnection: upgrade\r\n\r\nhello")
	h.complete(t, "upgrade shout")
	require.Equal(t, "HELLO", n.asked(0))
	require.Len(t, n.conn(0).Pipeline().Names(), 1)
	n.serveOnce(1) // it does not count any more
	n.answer(0, " again")
	require.Equal(t, " AGAIN", n.asked(0))
	require.NoError(t, n.client.Close())
	n.net.RunPending()
	require.False(t, n.conn(0).Closed())
}

func TestCallConnectHandsOverTheConnection(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	h := &heard{}
	call := h.call()
	call.Address = "h:80"
	call.OnUpgrade = func(r *httpx.Response, ch *pipeline.Channel) error {
		r.Release()
		return ch.Pipeline().AddLast(&shouter{})
	}
	require.NoError(t, n.client.Start(n.ctx, httpx.NewFullRequest(httpx.MethodConnect, "far:443"), call))
	require.Equal(t, "CONNECT far:443 HTTP/1.1\r\nHost: far:443\r\n\r\n", n.asked(0))
	n.answer(0, "HTTP/1.1 200 OK\r\n\r\nhello")
	h.complete(t)
	require.Equal(t, "HELLO", n.asked(0))
}

func TestCallUpgradeThatFails(t *testing.T) {
	sick := errors.New("sick")
	for name, f := range map[string]func(r *httpx.Response, ch *pipeline.Channel) error{
		"nobody takes over": nil,
		"an error":          func(r *httpx.Response, _ *pipeline.Channel) error { r.Release(); return sick },
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			h := &heard{}
			call := h.call()
			call.OnUpgrade = f
			require.NoError(t, n.client.Start(n.ctx, getHost("Upgrade", "shout", "Connection", "upgrade"), call))
			n.asked(0)
			n.answer(0, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: shout\r\nConnection: upgrade\r\n\r\n")
			require.Error(t, h.err)
			require.True(t, n.conn(0).Closed())
		})
	}
}
