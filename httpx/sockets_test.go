package httpx_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
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

// onSockets runs the test with event loops and with goroutines.
func onSockets(t *testing.T, cfg httpx.ServerConfig, test func(t *testing.T, s *transport.Server, addr string)) {
	t.Helper()
	for name, goroutines := range map[string]bool{"loops": false, "goroutines": true} {
		t.Run(name, func(t *testing.T) {
			s := &transport.Server{Init: httpx.Init(cfg), Loops: 2, Goroutines: goroutines}
			require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
			served := make(chan error, 1)
			go func() { served <- s.Serve(context.Background()) }()
			t.Cleanup(func() {
				require.NoError(t, s.Close())
				require.NoError(t, <-served)
			})
			test(t, s, s.Addrs()[0].String())
		})
	}
}

func connect(t *testing.T, addr string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return conn, bufio.NewReader(conn)
}

// next reads one answer.
func next(t *testing.T, in *bufio.Reader) (*http.Response, string) {
	t.Helper()
	r, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	return r, string(body)
}

func TestSocketsAThousandPipelinedRequests(t *testing.T) {
	const n = 1000
	later := func(_ *pipeline.Context, x *httpx.Exchange) error {
		if target := string(x.Request.Target()); strings.HasSuffix(target, "7") {
			go func() { _ = x.RespondText(200, target) }()
			return nil
		}
		return x.RespondText(200, string(x.Request.Target()))
	}
	onSockets(t, httpx.ServerConfig{Handle: later}, func(t *testing.T, _ *transport.Server, addr string) {
		t.Helper()
		conn, in := connect(t, addr)
		var all bytes.Buffer
		for i := range n {
			fmt.Fprintf(&all, "GET /%d HTTP/1.1\r\nHost: x\r\n\r\n", i)
		}
		go func() { _, _ = conn.Write(all.Bytes()) }()
		for i := range n {
			r, body := next(t, in)
			require.Equal(t, 200, r.StatusCode)
			require.Equal(t, fmt.Sprintf("/%d", i), body)
		}
	})
}

func TestSocketsARefusalArrivesWithUnreadDataBehindTheRequest(t *testing.T) {
	unread := bytes.Repeat([]byte("x"), 1<<20)
	refuse := func(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(403, "no") }
	for name, c := range map[string]struct {
		head string
		want int
	}{
		"that can not be read":      {"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400},
		"whose body nobody wants":   {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576000\r\n\r\n", 403},
		"that waits for no one":     {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n", 403},
		"with a line that is long":  {"GET /" + strings.Repeat("y", 9<<10) + " HTTP/1.1\r\n", 414},
		"behind the last of all":    {"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 403},
		"with an unknown encoding":  {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
		"with too many head fields": {"GET / HTTP/1.1\r\n" + strings.Repeat("a: b\r\n", 200), 431},
	} {
		t.Run(name, func(t *testing.T) {
			onSockets(t, httpx.ServerConfig{Handle: refuse}, func(t *testing.T, _ *transport.Server, addr string) {
				t.Helper()
				conn, in := connect(t, addr)
				_, err := conn.Write(append([]byte(c.head), unread...))
				require.NoError(t, err, "the server reads what it does not want")
				r, _ := next(t, in)
				require.Equal(t, c.want, r.StatusCode)
				require.True(t, r.Close)
				_, err = in.ReadByte()
				require.ErrorIs(t, err, io.EOF, "no reset that could have overtaken the answer")
			})
		})
	}
}

func TestSocketsSlowClientsGet408(t *testing.T) {
	limits := httpx.Deadlines{
		Ready: 100 * time.Millisecond, Head: 100 * time.Millisecond,
		BodyGrace: 100 * time.Millisecond, BodyStall: 100 * time.Millisecond,
	}
	for name, c := range map[string]struct {
		first, slow string
		want        []int
	}{
		"the first head": {"", "GET / HTTP/1.1\r\nHost", []int{408}},
		"a later head":   {get("/"), "GET / HTTP/1.1\r\nHost", []int{200, 408}},
		"a body":         {get("/"), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nabc", []int{200, 408}},
		"nothing":        {"", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			onSockets(t, httpx.ServerConfig{Handle: collect, Deadlines: limits}, func(t *testing.T, _ *transport.Server, addr string) {
				t.Helper()
				conn, in := connect(t, addr)
				_, err := io.WriteString(conn, c.first)
				require.NoError(t, err)
				for i, want := range c.want {
					if i == len(c.want)-1 {
						_, err = io.WriteString(conn, c.slow)
						require.NoError(t, err)
					}
					r, _ := next(t, in)
					require.Equal(t, want, r.StatusCode)
				}
				_, err = in.ReadByte()
				require.ErrorIs(t, err, io.EOF)
			})
		})
	}
}

// ledger notes which requests were taken up and which were answered.
type ledger struct {
	mu             sync.Mutex
	taken, settled map[string]bool
}

func (l *ledger) note(of map[string]bool, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of[id] = true
}

func (l *ledger) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.taken)
	clear(l.settled)
}

func TestSocketsShutdownUnderLoadLosesNoRequest(t *testing.T) {
	l := &ledger{taken: map[string]bool{}, settled: map[string]bool{}}
	serve := func(_ *pipeline.Context, x *httpx.Exchange) error {
		id := string(x.Request.Target())
		l.note(l.taken, id)
		return x.ReadBody(0, func(body []byte, err error) error {
			if err != nil {
				return err
			}
			if id[len(id)-1]%2 == 0 {
				return x.RespondText(200, id)
			}
			time.AfterFunc(time.Millisecond, func() { _ = x.RespondText(200, id) })
			return nil
		})
	}
	onSockets(t, httpx.ServerConfig{Handle: serve}, func(t *testing.T, s *transport.Server, addr string) {
		t.Helper()
		l.reset()
		var answered, resets atomic.Int64
		var clients sync.WaitGroup
		for c := range 16 {
			conn, in := connect(t, addr)
			clients.Go(func() { drive(conn, in, c, l, &answered, &resets) })
		}
		require.Eventually(t, func() bool { return answered.Load() > 500 }, 10*time.Second, time.Millisecond)
		parent, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		require.NoError(t, s.Shutdown(parent))
		clients.Wait()
		require.Greater(t, len(l.taken), 500)
		for id := range l.taken {
			require.True(t, l.settled[id], "request %s was taken up and not answered", id)
		}
		require.Zero(t, resets.Load(), "connections end in good order")
	})
}

// drive sends requests on one connection, some of them pipelined, until the server ends it.
func drive(conn net.Conn, in *bufio.Reader, client int, l *ledger, answered, resets *atomic.Int64) {
	defer conn.Close()
	for i := 0; ; i += 3 {
		var batch strings.Builder
		for k := range 3 {
			fmt.Fprintf(&batch, "POST /%d/%d HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", client, i+k)
		}
		if _, err := io.WriteString(conn, batch.String()); err != nil {
			return
		}
		for range 3 {
			r, err := http.ReadResponse(in, nil)
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					resets.Add(1)
				}
				return
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				resets.Add(1)
				return
			}
			l.note(l.settled, string(body))
			answered.Add(1)
			if r.Close {
				return
			}
		}
	}
}
