package httpx_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// clientNet is a client on an event loop, and scripted servers, in memory and in virtual time.
type clientNet struct {
	t      *testing.T
	net    *embedded.Network
	client *httpx.Client
	ctx    *pipeline.Context // of the handler that asks
}

// asker is the handler that asks.
type asker struct{ ctx *pipeline.Context }

func (a *asker) HandleAdded(ctx *pipeline.Context) error {
	a.ctx = ctx
	return nil
}

// newClientNet makes a network with the scripted host "h:80" and gives c its Dial.
func newClientNet(t *testing.T, c *httpx.Client) *clientNet {
	t.Helper()
	n := &clientNet{t: t, net: embedded.NewNetwork(embedded.Config{}), client: c}
	n.net.Listen("asker:1", nil)
	n.net.Listen("h:80", nil)
	a := &asker{}
	_, err := n.net.Dial(t.Context(), "asker:1", func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(a) })
	require.NoError(t, err)
	n.ctx = a.ctx
	c.Dial = n.net.Dial
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		_, err := n.net.Finish()
		require.NoError(t, err)
	})
	return n
}

// until runs the network until done, together with the goroutines that dial.
func (n *clientNet) until(done func() bool) {
	n.t.Helper()
	parent, stop := context.WithTimeout(n.t.Context(), 10*time.Second)
	defer stop()
	require.NoError(n.t, n.net.RunUntil(parent, done))
}

// conn waits until there are i+1 connections to the host that are set up, and returns the i-th.
func (n *clientNet) conn(i int) *embedded.Channel {
	n.t.Helper()
	n.until(func() bool { return len(n.net.Dialed("h:80")) > i })
	return n.net.Dialed("h:80")[i]
}

// asked waits for the request on the i-th connection and returns its octets.
func (n *clientNet) asked(i int) string {
	n.t.Helper()
	conn := n.conn(i)
	n.until(func() bool { return conn.Untaken() > 0 })
	return conn.WireString()
}

func (n *clientNet) answer(i int, wire string) {
	n.t.Helper()
	require.NoError(n.t, n.conn(i).FeedString(wire))
}

func (n *clientNet) start(req *httpx.FullRequest) *heard {
	n.t.Helper()
	h := &heard{}
	require.NoError(n.t, n.client.Start(n.ctx, req, h.call()))
	n.net.RunPending()
	return h
}

// get is a request to the scripted host.
func getHost(fields ...string) *httpx.FullRequest {
	return wholeRequest(httpx.MethodGet, "", fields...)
}

func wholeRequest(m httpx.Method, body string, fields ...string) *httpx.FullRequest {
	r := httpx.NewFullRequest(m, "http://h/")
	r.SetBodyString(body)
	for i := 0; i < len(fields); i += 2 {
		if err := r.Header.Add(fields[i], fields[i+1]); err != nil {
			panic(err)
		}
	}
	return r
}

func streamed(m httpx.Method, length int64, fields ...string) *httpx.Request {
	r := httpx.NewRequest(m, "http://h/")
	r.Length = length
	for i := 0; i < len(fields); i += 2 {
		if err := r.Header.Add(fields[i], fields[i+1]); err != nil {
			panic(err)
		}
	}
	return r
}

// heard is what the functions of a call were called with.
type heard struct {
	httpx.Call
	events []string
	body   strings.Builder
	onHead func()
	err    error
	ended  bool
}

func (h *heard) call() *httpx.Call {
	h.OnInterim = func(r *httpx.Response) {
		h.note(fmt.Sprint("interim ", r.Status))
		r.Release()
	}
	h.OnResponse = func(r *httpx.Response) error {
		h.note(fmt.Sprint("head ", r.Status))
		r.Release()
		if h.onHead != nil {
			h.onHead()
		}
		return nil
	}
	h.OnContent = func(c *httpx.Content) error {
		h.body.Write(c.Bytes())
		if c.Last {
			h.note("last " + h.body.String())
			if c.Trailer != nil {
				h.note("trailers " + string(c.Trailer.Get("x-sum")))
			}
		}
		c.Release()
		return nil
	}
	h.OnWritable = func() { h.note("writable") }
	h.OnEnd = func(err error) {
		h.note("end")
		h.err, h.ended = err, true
	}
	return &h.Call
}

func (h *heard) note(event string) { h.events = append(h.events, event) }

func (h *heard) complete(t *testing.T, want ...string) {
	t.Helper()
	require.NoError(t, h.err)
	require.Equal(t, append(want, "end"), h.events)
}

const okWire = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
