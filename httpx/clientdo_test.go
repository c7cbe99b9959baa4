package httpx_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// done is what Do returned on another goroutine.
type done struct {
	response *httpx.FullResponse
	err      error
}

// do calls Do on another goroutine.
func (n *clientNet) do(parent context.Context, req *httpx.FullRequest) <-chan done {
	result := make(chan done, 1)
	go func() {
		r, err := n.client.Do(parent, req)
		result <- done{r, err}
		_ = n.ctx.Loop().Post(func() {}) // so that the network looks
	}()
	return result
}

// result runs the network until Do has returned.
func (n *clientNet) result(from <-chan done) done {
	n.t.Helper()
	n.until(func() bool { return len(from) > 0 })
	return <-from
}

func TestDoReturnsTheWholeResponse(t *testing.T) {
	for name, row := range map[string]struct{ wire, body, trailer string }{
		"one piece":  {okWire, "ok", ""},
		"chunks":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nX-Sum: 7\r\n\r\n", "hello", "7"},
		"no body":    {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", ""},
		"hints":      {"HTTP/1.1 103 Early Hints\r\n\r\n" + okWire, "ok", ""},
		"many reads": {"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100000), strings.Repeat("x", 100000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			for range 2 { // dialed, then unused
				from := n.do(t.Context(), getHost())
				n.asked(0)
				n.answer(0, row.wire)
				got := n.result(from)
				require.NoError(t, got.err)
				require.Equal(t, 200, got.response.Status)
				require.Equal(t, row.body, string(got.response.Body()))
				require.EqualValues(t, len(row.body), got.response.Length)
				if row.trailer != "" {
					require.Equal(t, row.trailer, string(got.response.Trailer.Get("x-sum")))
				}
				got.response.Release()
			}
		})
	}
}

func TestDoBoundsTheBody(t *testing.T) {
	for name, wire := range map[string]string{
		"announced": "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n",
		"chunked":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n123456\r\n5\r\n78901\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{MaxBody: 10})
			from := n.do(t.Context(), getHost())
			n.asked(0)
			n.answer(0, wire)
			require.ErrorIs(t, n.result(from).err, httpx.ErrBodyTooLarge)
			n.net.RunPending()
			require.True(t, n.conn(0).Closed())
		})
	}
}

func TestDoEndsWithItsParent(t *testing.T) {
	sick := errors.New("sick")
	for name, wire := range map[string]string{"before the head": "", "in the body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"} {
		t.Run(name, func(t *testing.T) {
			n := newClientNet(t, &httpx.Client{})
			parent, stop := context.WithCancelCause(t.Context())
			from := n.do(parent, getHost())
			n.asked(0)
			n.answer(0, wire)
			stop(sick)
			require.ErrorIs(t, n.result(from).err, sick)
			n.net.RunPending()
			require.True(t, n.conn(0).Closed())
			_, err := n.client.Do(parent, getHost())
			require.ErrorIs(t, err, sick)
		})
	}
}

func TestDoWaitsForAConnection(t *testing.T) {
	n := newClientNet(t, &httpx.Client{MaxConnsPerHost: 1})
	first := n.start(getHost())
	n.asked(0)
	from := n.do(t.Context(), getHost())
	n.answer(0, okWire)
	first.complete(t, "head 200", "last ok")
	n.asked(0)
	n.answer(0, okWire)
	got := n.result(from)
	require.NoError(t, got.err)
	got.response.Release()
}

func TestDoSendsAgainWhenAUsedConnectionIsLost(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	n.serveOnce(0)
	from := n.do(t.Context(), getHost())
	n.asked(0)
	n.conn(0).PeerReset()
	n.asked(1)
	n.answer(1, okWire)
	got := n.result(from)
	require.NoError(t, got.err)
	got.response.Release()
}

func TestDoReportsItsFailures(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	from := n.do(t.Context(), httpx.NewFullRequest(httpx.MethodGet, "http://nobody/"))
	require.ErrorContains(t, n.result(from).err, "connection refused")
	from = n.do(t.Context(), httpx.NewFullRequest(httpx.MethodGet, "/"))
	require.ErrorContains(t, n.result(from).err, "host")
	from = n.do(t.Context(), getHost())
	n.asked(0)
	n.conn(0).PeerClose()
	require.ErrorIs(t, n.result(from).err, httpx.ErrServerGone)
	require.NoError(t, n.client.Close())
	from = n.do(t.Context(), getHost())
	require.ErrorIs(t, n.result(from).err, httpx.ErrClientClosed)
}

func TestDoWaitsForAConnectionOnlySoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(parent context.Context, _ string, _ func(*pipeline.Channel) error) (*pipeline.Channel, error) {
			<-parent.Done()
			return nil, context.Cause(parent)
		}
		c := &httpx.Client{Dial: stuck, MaxConnsPerHost: 1}
		began := time.Now()
		results := make(chan error, 2)
		for range 2 { // one dials, the other waits
			go func() {
				_, err := c.Do(t.Context(), getHost())
				results <- err
			}()
		}
		for range 2 {
			var late *httpx.TimeoutError
			require.ErrorAs(t, <-results, &late)
			require.Equal(t, "connection", late.What)
		}
		require.Equal(t, httpx.DefaultConnectTimeout, time.Since(began))
		require.NoError(t, c.Close())
	})
}

func TestDoIsEndedByClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(parent context.Context, _ string, _ func(*pipeline.Channel) error) (*pipeline.Channel, error) {
			<-parent.Done()
			return nil, context.Cause(parent)
		}
		c := &httpx.Client{Dial: stuck, MaxConnsPerHost: 1}
		results := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := c.Do(t.Context(), getHost())
				results <- err
			}()
		}
		synctest.Wait()
		require.NoError(t, c.Close())
		for range 2 {
			require.ErrorIs(t, <-results, httpx.ErrClientClosed)
		}
	})
}

func TestCollectPutsAResponseTogether(t *testing.T) {
	n := newClientNet(t, &httpx.Client{})
	var got done
	collect := func(limit int) *httpx.Call {
		return httpx.Collect(limit, func(r *httpx.FullResponse, err error) { got = done{r, err} })
	}
	require.NoError(t, n.client.Start(n.ctx, getHost(), collect(0)))
	n.asked(0)
	n.answer(0, okWire)
	require.NoError(t, got.err)
	require.Equal(t, "ok", string(got.response.Body()))
	got.response.Release()

	require.NoError(t, n.client.Start(n.ctx, getHost(), collect(1)))
	n.asked(0)
	n.answer(0, okWire)
	require.ErrorIs(t, got.err, httpx.ErrBodyTooLarge)
	require.Nil(t, got.response)

	require.NoError(t, n.client.Start(n.ctx, getHost(), collect(0)))
	n.asked(0)
	n.answer(0, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
	n.conn(0).PeerClose()
	require.ErrorIs(t, got.err, httpx.ErrServerGone)
	require.Nil(t, got.response)
}
