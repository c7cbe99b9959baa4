package httpx_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// origin is a server of net/http, and a client over sockets.
type origin struct {
	*httptest.Server
	conns  atomic.Int32 // that were opened
	client *httpx.Client
}

func newOrigin(t *testing.T, c *httpx.Client, h http.HandlerFunc) *origin {
	t.Helper()
	o := &origin{Server: httptest.NewUnstartedServer(h), client: c}
	o.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			o.conns.Add(1)
		}
	}
	o.Start()
	dialer := &transport.Client{Loops: 2}
	c.Dial = dialer.Dial
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		require.NoError(t, dialer.Close())
		o.Close()
		require.Zero(t, dialer.Channels().Len())
	})
	return o
}

func (o *origin) request(m httpx.Method, path, body string) *httpx.FullRequest {
	r := httpx.NewFullRequest(m, o.URL+path)
	r.SetBodyString(body)
	return r
}

// do is Do that must succeed, with the body.
func (o *origin) do(t *testing.T, req *httpx.FullRequest) (status int, body string) {
	t.Helper()
	r, err := o.client.Do(t.Context(), req)
	require.NoError(t, err)
	defer r.Release()
	return r.Status, string(r.Body())
}

// onLoop gives the context of a handler on an event loop that is not the client's.
func onLoop(t *testing.T) *pipeline.Context {
	t.Helper()
	peer, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	own := &transport.Client{Loops: 1}
	t.Cleanup(func() {
		require.NoError(t, own.Close())
		require.NoError(t, peer.Close())
	})
	a := &asker{}
	_, err = own.Dial(t.Context(), peer.Addr().String(), func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(a) })
	require.NoError(t, err)
	return a.ctx
}

func echoBody(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		_, _ = w.Write(body)
	}
}

func TestClientKeepsItsConnectionToARealServer(t *testing.T) {
	o := newOrigin(t, &httpx.Client{}, echoBody)
	for i := range 20 {
		text := strings.Repeat("x", i*1000)
		status, body := o.do(t, o.request(httpx.MethodPost, "/", text))
		require.Equal(t, 200, status)
		require.Equal(t, sha256.Sum256([]byte(text)), sha256.Sum256([]byte(body)))
	}
	require.EqualValues(t, 1, o.conns.Load())
}

func TestClientUnderstandsARealServer(t *testing.T) {
	o := newOrigin(t, &httpx.Client{}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/head":
			w.Header().Set("Content-Length", "100")
		case "/chunked":
			for range 3 {
				_, _ = io.WriteString(w, "chunk ")
				w.(http.Flusher).Flush()
			}
		case "/trailer":
			w.Header().Set("Trailer", "X-Sum")
			_, _ = io.WriteString(w, "body")
			w.Header().Set("X-Sum", "7")
		case "/hints":
			w.WriteHeader(103)
			w.WriteHeader(200)
			_, _ = io.WriteString(w, "hinted")
		case "/none":
			w.WriteHeader(204)
		case "/old":
			w.Header().Set("Connection", "close")
			_, _ = io.WriteString(w, "closed")
		}
	})
	for _, row := range []struct {
		method httpx.Method
		path   string
		status int
		body   string
	}{
		{httpx.MethodHead, "/head", 200, ""},
		{httpx.MethodGet, "/chunked", 200, "chunk chunk chunk "},
		{httpx.MethodGet, "/trailer", 200, "body"},
		{httpx.MethodGet, "/hints", 200, "hinted"},
		{httpx.MethodGet, "/none", 204, ""},
		{httpx.MethodGet, "/old", 200, "closed"},
		{httpx.MethodGet, "/", 200, ""},
	} {
		r, err := o.client.Do(t.Context(), o.request(row.method, row.path, ""))
		require.NoError(t, err, row.path)
		require.Equal(t, row.status, r.Status, row.path)
		require.Equal(t, row.body, string(r.Body()), row.path)
		if row.path == "/trailer" {
			require.Equal(t, "7", string(r.Trailer.Get("x-sum")))
		}
		r.Release()
	}
	require.EqualValues(t, 2, o.conns.Load())
}

func TestClientWaitsForContinueOfARealServer(t *testing.T) {
	o := newOrigin(t, &httpx.Client{ContinueWait: time.Minute}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refuse" {
			w.WriteHeader(413)
			return
		}
		echoBody(w, r)
	})
	for _, row := range []struct {
		path string
		want int
	}{{"/", 200}, {"/refuse", 413}, {"/", 200}} {
		req := o.request(httpx.MethodPost, row.path, "hello")
		require.NoError(t, req.Header.Add("expect", "100-continue"))
		status, body := o.do(t, req)
		require.Equal(t, row.want, status)
		if status == 200 {
			require.Equal(t, "hello", body)
		}
	}
}

func TestClientReportsAServerThatDiesInBetween(t *testing.T) {
	o := newOrigin(t, &httpx.Client{}, func(w http.ResponseWriter, r *http.Request) {
		c, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = buffered.WriteString(strings.ReplaceAll(r.URL.Query().Get("wire"), "|", "\r\n"))
		_ = buffered.Flush()
	})
	for _, wire := range []string{
		"", "HTTP/1.1", "HTTP/1.1+200+OK|X:+1|", "HTTP/1.1+200+OK|Content-Length:+5||abc",
		"HTTP/1.1+200+OK|Transfer-Encoding:+chunked||3|abc|",
	} {
		_, err := o.client.Do(t.Context(), o.request(httpx.MethodGet, "/?wire="+wire, ""))
		require.ErrorIs(t, err, httpx.ErrServerGone, wire)
	}
	status, body := o.do(t, o.request(httpx.MethodGet, "/?wire=HTTP/1.1+200+OK||until+close", ""))
	require.Equal(t, 200, status)
	require.Equal(t, "until close", body)
}

func TestClientGivesUpASlowServer(t *testing.T) {
	leave := make(chan struct{})
	o := newOrigin(t, &httpx.Client{HeadTimeout: 20 * time.Millisecond, BodyTimeout: 20 * time.Millisecond},
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/body" {
				_, _ = io.WriteString(w, "begin")
				w.(http.Flusher).Flush()
			}
			<-leave
		})
	defer close(leave)
	for _, path := range []string{"/head", "/body"} {
		_, err := o.client.Do(t.Context(), o.request(httpx.MethodGet, path, ""))
		require.ErrorAs(t, err, new(*httpx.TimeoutError), path)
	}
	parent, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	_, err := o.client.Do(parent, o.request(httpx.MethodGet, "/head", ""))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestClientServesManyGoroutines(t *testing.T) {
	const goroutines, each = 32, 40
	o := newOrigin(t, &httpx.Client{MaxConnsPerHost: 8}, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "7") {
			w.Header().Set("Connection", "close")
		}
		echoBody(w, r)
	})
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				text := strings.Repeat(fmt.Sprint(g, "/", i, " "), 1+i*20)
				r, err := o.client.Do(t.Context(), o.request(httpx.MethodPut, fmt.Sprint("/", i), text))
				if err == nil && string(r.Body()) != text {
					err = errors.New("not what was sent")
				}
				if err != nil {
					failed.Store(&err)
					return
				}
				r.Release()
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		require.NoError(t, *err)
	}
}

func TestClientSurvivesManyCancellations(t *testing.T) {
	const goroutines, each = 16, 50
	o := newOrigin(t, &httpx.Client{MaxConnsPerHost: 4}, echoBody)
	var wg sync.WaitGroup
	var other atomic.Pointer[error]
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				parent, stop := context.WithTimeout(t.Context(), time.Duration((g*i)%40)*50*time.Microsecond)
				r, err := o.client.Do(parent, o.request(httpx.MethodPut, "/", "hello"))
				switch {
				case err == nil:
					r.Release()
				case !errors.Is(err, context.DeadlineExceeded):
					other.Store(&err)
				}
				stop()
			}
		})
	}
	wg.Wait()
	if err := other.Load(); err != nil {
		require.NoError(t, *err)
	}
	status, body := o.do(t, o.request(httpx.MethodPut, "/", "fine"))
	require.Equal(t, 200, status)
	require.Equal(t, "fine", body)
}

// duplex sends size octets in pieces as the call takes them, and checks what comes back.
type duplex struct {
	httpx.Call
	piece      []byte
	size       int
	sent, back int
	pause      int // octets after which the response is not taken for a moment
	done       chan error
}

func (d *duplex) send() {
	for d.Writable() && d.sent < d.size {
		if err := d.WriteBytes(d.piece); err != nil {
			d.Cancel(err)
			return
		}
		if d.sent += len(d.piece); d.sent == d.size {
			_ = d.End() // cancelled
		}
	}
}

func (d *duplex) call(ctx *pipeline.Context) *httpx.Call {
	next := d.pause
	d.OnWritable = d.send
	d.OnContent = func(c *httpx.Content) error {
		d.back += c.Len()
		wrong := bytes.Count(c.Bytes(), []byte("x")) != c.Len()
		c.Release()
		if wrong {
			return errors.New("other octets")
		}
		if d.pause > 0 && d.back > next {
			next += d.pause
			d.PauseBody()
			ctx.After(time.Millisecond, d.ResumeBody)
		}
		return nil
	}
	d.OnEnd = func(err error) { d.done <- err }
	return &d.Call
}

func TestClientStreamsBothWaysAtOnce(t *testing.T) {
	for name, pause := range map[string]int{"as fast as it goes": 0, "while we read slowly": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			o := newOrigin(t, &httpx.Client{}, func(w http.ResponseWriter, r *http.Request) {
				if http.NewResponseController(w).EnableFullDuplex() == nil {
					_, _ = io.Copy(w, r.Body)
				}
			})
			ctx := onLoop(t)
			const size = 16 << 20
			for range 2 {
				d := &duplex{piece: bytes.Repeat([]byte("x"), 8<<10), size: size, pause: pause, done: make(chan error, 1)}
				require.NoError(t, ctx.Channel().Post(func() {
					req := httpx.NewRequest(httpx.MethodPost, o.URL+"/")
					req.Length = httpx.LengthChunked
					if err := o.client.Stream(ctx, req, d.call(ctx)); err != nil {
						d.done <- err
						return
					}
					d.send()
				}))
				require.NoError(t, <-d.done)
				require.Equal(t, size, d.back)
			}
			require.EqualValues(t, 1, o.conns.Load())
		})
	}
}

func TestClientCallsEndOnTheirOwnLoop(t *testing.T) {
	o := newOrigin(t, &httpx.Client{}, echoBody)
	ctx := onLoop(t)
	const calls = 200
	ended := make(chan bool, calls)
	require.NoError(t, ctx.Channel().Post(func() {
		for i := range calls {
			h := &heard{}
			call := h.call()
			call.OnEnd = func(error) { ended <- ctx.Loop().OnLoop() }
			if err := o.client.Start(ctx, o.request(httpx.MethodPut, "/", "hello"), call); err != nil {
				ended <- false
				continue
			}
			if i%3 == 0 {
				call.Cancel(nil)
			}
		}
	}))
	for range calls {
		require.True(t, <-ended)
	}
}

func TestClientServesManyLoopsInAnyManner(t *testing.T) {
	o := newOrigin(t, &httpx.Client{MaxConnsPerHost: 6}, echoBody)
	const loops, calls = 3, 60
	sick := errors.New("sick")
	results := make(chan error, loops*calls)
	start := func(ctx *pipeline.Context, i int) {
		text, left := bytes.Repeat([]byte{'a' + byte(i%26)}, i*i*100), 0
		call := &httpx.Call{}
		send := func() {
			for call.Writable() && left < len(text) {
				n := min(len(text)-left, 20_000)
				if err := call.WriteBytes(text[left : left+n]); err != nil {
					call.Cancel(err)
					return
				}
				if left += n; left == len(text) {
					_ = call.End() // told by OnEnd
				}
			}
		}
		var got []byte
		call.OnWritable = send
		call.OnContent = func(c *httpx.Content) error {
			got = append(got, c.Bytes()...)
			c.Release()
			switch i % 5 {
			case 1:
				call.PauseBody()
				ctx.After(0, call.ResumeBody)
			case 2:
				return sick
			}
			return nil
		}
		call.OnEnd = func(err error) {
			switch {
			case !ctx.Loop().OnLoop():
				err = errors.New("on another loop")
			case i%5 >= 2 && i%5 <= 3 && (errors.Is(err, sick) || errors.Is(err, context.Canceled)):
				err = nil
			case err == nil && !bytes.Equal(got, text):
				err = errors.New("not what was sent")
			}
			results <- err
		}
		req := httpx.NewRequest(httpx.MethodPost, o.URL+"/")
		req.Length = int64(len(text))
		if err := o.client.Stream(ctx, req, call); err != nil {
			results <- err
			return
		}
		send()
		if i%5 == 3 {
			ctx.After(time.Duration(i)*50*time.Microsecond, func() { call.Cancel(nil) })
		}
	}
	for range loops {
		ctx := onLoop(t)
		require.NoError(t, ctx.Channel().Post(func() {
			for i := range calls {
				start(ctx, i)
			}
		}))
	}
	for range loops * calls {
		require.NoError(t, <-results)
	}
	status, _ := o.do(t, o.request(httpx.MethodGet, "/", ""))
	require.Equal(t, 200, status)
}

func TestClientLivesOnWhenTheLoopOfACallHasEnded(t *testing.T) {
	arrived, leave := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, &httpx.Client{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			close(arrived)
			<-leave
		}
		echoBody(w, r)
	})
	peer := httptest.NewServer(nil)
	defer peer.Close()
	own := &transport.Client{Loops: 1}
	a := &asker{}
	_, err := own.Dial(t.Context(), peer.Listener.Addr().String(), func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(a) })
	require.NoError(t, err)
	require.NoError(t, a.ctx.Channel().Post(func() {
		_ = o.client.Start(a.ctx, o.request(httpx.MethodGet, "/wait", ""), (&heard{}).call())
	}))
	<-arrived
	require.NoError(t, own.Close())
	close(leave)
	status, _ := o.do(t, o.request(httpx.MethodGet, "/", ""))
	require.Equal(t, 200, status)
}
