package nethttp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func TestBridgeRefusesMoreThanMayRun(t *testing.T) {
	block := make(chan struct{})
	b := &nethttp.Bridge{MaxRunning: 2, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-block })}
	address := serving(t, b, nil)
	first, second, third := dial(t, address), dial(t, address), dial(t, address)
	first.send(plainGet)
	second.send(plainGet)
	require.Eventually(t, func() bool { return b.Running() == 2 }, patience, time.Millisecond)
	third.send(plainGet)
	require.True(t, third.answer("GET"))
	require.Contains(t, third.log, "1: HTTP/1.1 503 Service Unavailable")
	close(block)
	require.True(t, first.answer("GET"))
	require.True(t, second.answer("GET"))
	require.NoError(t, b.Wait(t.Context()))
	third.send(plainGet)
	require.True(t, third.answer("GET"))
	require.Contains(t, third.log, "2: HTTP/1.1 200 OK", "the connection goes on")
}

func TestBridgeWaitEndsWithItsContext(t *testing.T) {
	block := make(chan struct{})
	b := handling(t, func(http.ResponseWriter, *http.Request) { <-block })
	b.Feed(plainGet)
	parent, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	require.ErrorIs(t, b.bridge.Wait(parent), cause)
	close(block)
	b.over()
	require.NoError(t, b.bridge.Wait(parent), "nothing runs")
}

func TestZeroBridgeRunsTheDefaultServeMux(t *testing.T) {
	b := newBench(t, new(nethttp.Bridge))
	b.Feed("GET /nothing/here HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Contains(t, b.over(), "404 Not Found")
}

func TestBridgePassesOptionsOfTheServerIfWanted(t *testing.T) {
	for _, pass := range []bool{false, true} {
		b := newBench(t, &nethttp.Bridge{DisableGeneralOptionsHandler: pass, Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) { writeAll(w, "seen "+r.RequestURI) })})
		b.Feed("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
		require.Equal(t, pass, strings.HasSuffix(b.over(), "seen *"))
	}
}

func TestBridgeContextHasWhatTheHookAdds(t *testing.T) {
	type key struct{}
	b := newBench(t, &nethttp.Bridge{
		Context: func(parent context.Context, ch *pipeline.Channel) context.Context {
			return context.WithValue(parent, key{}, ch.ID())
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprint(w, r.Context().Value(key{}), r.Context().Value(http.ServerContextKey) != nil)
		}),
	})
	b.Feed(plainGet)
	require.Equal(t, b.Channel.Channel().ID()+"true", body(b.over()))
}

func TestBridgeTLSStateByTheHook(t *testing.T) {
	b := newBench(t, &nethttp.Bridge{
		TLS:     func(*pipeline.Channel) *tls.ConnectionState { return &tls.ConnectionState{ServerName: "a.example"} },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { writeAll(w, r.TLS.ServerName) }),
	})
	b.Feed(plainGet)
	require.Equal(t, "a.example", body(b.over()))
}

func TestBridgeTLSStateByTheTransport(t *testing.T) {
	made := httptest.NewTLSServer(nil) // for its certificate
	defer made.Close()
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.TLS != nil && r.TLS.HandshakeComplete)
	})}
	s := &transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: b.Handle}), Logger: quiet()}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: made.TLS.Certificates, MinVersion: tls.VersionTLS12})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	client := made.Client()
	r, err := client.Get("https://" + l.Addr().String())
	require.NoError(t, err)
	all, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, "true", string(all))
	client.CloseIdleConnections()
	cancel()
	require.NoError(t, <-ended)
}

// lockedBuffer is a log that several goroutines write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func logged(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	log := new(lockedBuffer)
	b := newBench(t, &nethttp.Bridge{Handler: h, Logger: slog.New(slog.NewTextHandler(log, nil))})
	b.Feed(plainGet)
	b.over()
	return log.String()
}

func deepPanic() { panic("deep down") }

func TestHandlerPanicsAreLoggedWithTheirStack(t *testing.T) {
	log := logged(t, func(http.ResponseWriter, *http.Request) { deepPanic() })
	require.Contains(t, log, "handler panicked")
	require.Contains(t, log, "deep down")
	require.Contains(t, log, "nethttp_test.deepPanic")
	require.Empty(t, logged(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
}

func TestMisuseIsLoggedWithItsPlace(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"superfluous WriteHeader": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
			w.WriteHeader(201)
		},
		"invalid Content-Length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "x")
			w.WriteHeader(200)
		},
		"both Content-Length and Transfer-Encoding": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1")
			w.Header().Set("Transfer-Encoding", "chunked")
			_, _ = w.Write(nil)
		},
	} {
		log := logged(t, h)
		require.Contains(t, log, name)
		require.Contains(t, log, "bridge_test.go:", name)
		require.Contains(t, log, "TestMisuseIsLoggedWithItsPlace", name)
	}
}

func TestHandlerThatEndsItsGoroutineClosesTheConnection(t *testing.T) {
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		writeAll(w, "never")
		runtime.Goexit()
	})
	b.Feed(plainGet)
	require.Empty(t, b.over())
	require.True(t, b.Channel.Channel().Closed())
}

func TestAPanicDoesNotHurtOtherConnections(t *testing.T) {
	address := onLoop(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("no")
		}
		writeAll(w, "fine")
	}))
	good := dial(t, address)
	for range 20 {
		bad := dial(t, address)
		bad.send("GET /panic HTTP/1.1\r\nHost: x\r\n\r\n")
		bad.rest()
		require.Equal(t, []string{`rest ""`}, bad.log)
		good.send(plainGet)
		require.True(t, good.answer("GET"))
	}
}

func TestHandlersEndWhenClientsLeaveAtAnyPoint(t *testing.T) {
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		_ = c.EnableFullDuplex()
		_, _ = io.CopyN(io.Discard, r.Body, 10)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 1000)); err != nil {
				return
			}
			if c.Flush() != nil {
				return
			}
		}
	})}
	address := serving(t, b, nil)
	const request = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n6\r\nfghijk\r\n0\r\n\r\n"
	for cut := 50; cut <= len(request); cut++ {
		p := dial(t, address)
		p.send(request[:cut])
		if cut%3 == 0 && cut > 80 {
			_, _ = p.in.Peek(100)
		}
		if cut%2 == 0 {
			require.NoError(t, p.conn.SetLinger(0)) // by a reset
		}
		_ = p.conn.Close()
	}
	require.Eventually(t, func() bool { return b.Running() == 0 }, patience, time.Millisecond)
}

func TestIdleConnectionsHaveNoGoroutine(t *testing.T) {
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	address := serving(t, b, nil)
	first := dial(t, address)
	first.send(plainGet)
	require.True(t, first.answer("GET"))
	require.NoError(t, b.Wait(t.Context()))
	before := runtime.NumGoroutine()
	for range 50 {
		p := dial(t, address)
		p.send(plainGet)
		require.True(t, p.answer("GET"))
	}
	require.NoError(t, b.Wait(t.Context()))
	require.Eventually(t, func() bool { return runtime.NumGoroutine() < before+10 }, patience, time.Millisecond)
}

func TestHalfClosedClientGetsItsAnswerIfAllowed(t *testing.T) {
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeAll(w, "hello") })}
	address := serving(t, b, func(s *transport.Server) { s.Options.AllowHalfClose = true })
	p := dial(t, address)
	p.send(closeGet)
	require.NoError(t, p.conn.CloseWrite())
	require.True(t, p.answer("GET"))
	require.Contains(t, p.log, `1: body "hello"`)
}

func TestSmallAnswerIsOnePost(t *testing.T) {
	block := make(chan struct{})
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		<-block
		for range 10 {
			writeAll(w, "part")
		}
	})
	b.Feed(plainGet)
	before := b.PendingTasks()
	close(block)
	require.NoError(t, b.bridge.Wait(t.Context()))
	require.Equal(t, before+1, b.PendingTasks())
	b.RunPending()
	require.True(t, strings.HasSuffix(b.Wire(), strings.Repeat("part", 10)))
}

func TestFlushesThatTheLoopHasNotSeenAreOnePost(t *testing.T) {
	block := make(chan struct{})
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		<-block
		for range 10 {
			writeAll(w, "part")
			w.(http.Flusher).Flush()
		}
	})
	b.Feed(plainGet)
	before := b.PendingTasks()
	close(block)
	require.NoError(t, b.bridge.Wait(t.Context()))
	require.Equal(t, before+1, b.PendingTasks())
	require.Equal(t, 10, strings.Count(b.over(), "part"))
}

func TestSlowHandlersDoNotMakeThePipelinedClientLate(t *testing.T) {
	block := make(chan struct{})
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		<-block
		writeAll(w, "answer")
	})
	b.Feed(plainGet + "GET /2 HT")
	b.AdvanceTime(5 * time.Minute)
	close(block)
	require.Equal(t, "answer", body(b.over()))
	b.Feed("TP/1.1\r\nHost: x\r\n\r\n")
	require.Equal(t, 2, strings.Count(b.over(), "answer"))
}

func TestShutdownWaitsForHandlers(t *testing.T) {
	block, began := make(chan struct{}), make(chan struct{})
	b := &nethttp.Bridge{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(began)
		<-block
		writeAll(w, "in spite of it")
	})}
	var server *transport.Server
	address := serving(t, b, func(s *transport.Server) { server = s })
	p := dial(t, address)
	p.send(plainGet)
	<-began
	ended := make(chan error, 1)
	go func() { ended <- server.Shutdown(context.WithoutCancel(t.Context())) }()
	_, err := p.conn.Read(nil)
	require.NoError(t, err)
	close(block)
	require.True(t, p.answer("GET"))
	require.Contains(t, p.log, `1: body "in spite of it"`)
	_ = p.conn.Close()
	require.NoError(t, <-ended)
}
