package nethttp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// patience is how long a test waits for what must come.
const patience = 10 * time.Second

// peer is a client that sends what it is told and writes down what comes back.
type peer struct {
	t    testing.TB
	conn *net.TCPConn
	in   *bufio.Reader
	log  []string
	n    int
	j    *journal
	old  bool // it has sent a request of HTTP/1.0
}

func dial(t testing.TB, address string) *peer {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return &peer{t: t, conn: conn.(*net.TCPConn), in: bufio.NewReader(conn)}
}

func (p *peer) note(format string, args ...any) { p.log = append(p.log, fmt.Sprintf(format, args...)) }

// send sends s; a server that has closed already takes nothing.
func (p *peer) send(s string) {
	p.old = p.old || strings.Contains(s, " HTTP/1.0\r\n")
	_, _ = io.WriteString(p.conn, s)
}

// answer reads the answers to one request up to the final one. It reports whether there was one.
func (p *peer) answer(method string) bool {
	p.n++
	for {
		r, err := p.head(method)
		if err != nil {
			p.note("%d: no answer", p.n)
			return false
		}
		if r.StatusCode >= 200 || r.StatusCode == http.StatusSwitchingProtocols {
			p.body(r)
			return true
		}
	}
}

// head reads and notes one head, with all fields but Date.
func (p *peer) head(method string) (*http.Response, error) {
	var text strings.Builder
	for !strings.HasSuffix(text.String(), "\r\n\r\n") {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		text.WriteString(line)
	}
	p.in = bufio.NewReader(io.MultiReader(strings.NewReader(text.String()), p.in))
	r, err := http.ReadResponse(p.in, &http.Request{Method: method})
	if err != nil {
		return nil, err
	}
	p.note("%d: %s %s", p.n, r.Proto, r.Status)
	all := strings.Split(strings.TrimSuffix(text.String(), "\r\n\r\n"), "\r\n")[1:]
	for i, line := range all {
		name, value, _ := strings.Cut(line, ":")
		all[i] = http.CanonicalHeaderKey(name) + ":" + value
	}
	slices.Sort(all)
	dated := false
	for _, line := range all {
		if strings.HasPrefix(line, "Date: ") {
			dated = true
			continue
		}
		p.note("%d: %s", p.n, line)
	}
	if r.StatusCode >= 200 {
		p.note("%d: has Date %v", p.n, dated)
	}
	return r, nil
}

// body reads and notes the body and the trailers.
func (p *peer) body(r *http.Response) {
	all, err := io.ReadAll(r.Body)
	p.note("%d: body %s", p.n, brief(all))
	if err != nil {
		p.note("%d: body breaks off", p.n)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Trailer)) {
		p.note("%d: trailer %s: %q", p.n, name, r.Trailer[name])
	}
}

func brief(p []byte) string {
	if len(p) <= 600 {
		return fmt.Sprintf("%q", p)
	}
	return fmt.Sprintf("%d octets %08x", len(p), crc32.ChecksumIEEE(p))
}

// raw reads and notes n octets of another protocol.
func (p *peer) raw(n int) {
	b := make([]byte, n)
	k, err := io.ReadFull(p.in, b)
	p.note("raw %q", b[:k])
	if err != nil {
		p.note("raw breaks off")
	}
}

// rest reads and notes all that comes up to the end.
func (p *peer) rest() {
	all, err := io.ReadAll(p.in)
	p.note("rest %s", brief(all))
	if timedOut(err) {
		p.note("rest does not end")
	}
}

func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// probe notes whether the connection can be used again.
func (p *peer) probe() {
	p.send("GET /probe HTTP/1.1\r\nHost: x\r\n\r\n")
	r, err := http.ReadResponse(p.in, &http.Request{Method: "GET"})
	switch {
	case err == nil && r.StatusCode == http.StatusNoContent:
		p.note("then open")
	case err == nil:
		p.note("then %s", r.Status)
	case timedOut(err):
		p.note("then silent")
	default:
		p.note("then closed")
	}
}

// journal is what a handler notes. Several goroutines may write to it.
type journal struct {
	mu      sync.Mutex
	lines   []string
	running atomic.Int64
	began   atomic.Int64
}

// awaitBegin waits until a handler has begun.
func (j *journal) awaitBegin(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { return j.began.Load() > 0 }, patience, time.Millisecond)
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, "handler: "+fmt.Sprintf(format, args...))
}

// watched answers probes, and lets the journal wait for the others.
func (j *journal) watched(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/probe" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		j.running.Add(1)
		j.began.Add(1)
		defer j.running.Add(-1)
		h.ServeHTTP(w, r)
	})
}

// quiet is a logger that drops everything.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// onNetHTTP runs h on net/http.
func onNetHTTP(t testing.TB, h http.Handler) (address string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// onLoop runs h on an event loop.
func onLoop(t testing.TB, h http.Handler) (address string) {
	t.Helper()
	return serving(t, &nethttp.Bridge{Handler: h}, nil)
}

// serving runs a bridge on an event loop; set changes the server.
func serving(t testing.TB, b *nethttp.Bridge, set func(s *transport.Server)) (address string) {
	t.Helper()
	s := &transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: b.Handle}), Loops: 1, Logger: quiet()}
	if set != nil {
		set(s)
	}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-ended)
		require.Eventually(t, func() bool { return b.Running() == 0 }, patience, time.Millisecond, "handlers end")
	})
	return s.Addrs()[0].String()
}

// lines joins a transcript for comparison.
func lines(log []string) string { return strings.Join(log, "\n") }
