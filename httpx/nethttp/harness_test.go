package nethttp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// bench is a bridge on a channel without a socket, whose loop is the test's goroutine.
type bench struct {
	*pipelinetest.Channel
	t      testing.TB
	bridge *nethttp.Bridge
	wire   strings.Builder // all that the client has received
}

func newBench(t testing.TB, b *nethttp.Bridge) *bench {
	t.Helper()
	return newBenchWith(t, b, httpx.ServerConfig{})
}

func newBenchWith(t testing.TB, b *nethttp.Bridge, cfg httpx.ServerConfig) *bench {
	t.Helper()
	cfg.NoDate = true
	if cfg.Handle == nil {
		cfg.Handle = b.Handle
	}
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(cfg))
	return &bench{Channel: ch, t: t, bridge: b}
}

func handling(t testing.TB, h http.HandlerFunc) *bench {
	t.Helper()
	return newBench(t, &nethttp.Bridge{Handler: h, Logger: quiet()})
}

// until runs the loop until ok says that it is enough.
func (b *bench) until(ok func() bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	require.NoError(b.t, b.RunUntil(ctx, func() bool {
		b.wire.WriteString(b.Wire())
		return ok()
	}), "received %q", b.wire.String())
}

// over runs the loop until no handler runs, and returns what the client has received.
func (b *bench) over() string {
	b.t.Helper()
	ended := make(chan error, 1)
	go func() {
		ended <- b.bridge.Wait(b.t.Context())
		_ = b.Channel.Channel().Post(func() {}) // so that the loop looks
	}()
	b.until(func() bool { return len(ended) > 0 })
	require.NoError(b.t, <-ended)
	b.RunPending() // what the handler did last
	b.wire.WriteString(b.Wire())
	return b.wire.String()
}

// body returns what stands behind the head.
func body(wire string) string {
	_, b, _ := strings.Cut(wire, "\r\n\r\n")
	return b
}

func writeAll(w io.Writer, s string) { _, _ = io.WriteString(w, s) }

// newBenchMixed has native answer what is asked for "/native".
func newBenchMixed(t testing.TB, b *nethttp.Bridge, native httpx.HandlerFunc) *bench {
	t.Helper()
	return newBenchWith(t, b, httpx.ServerConfig{Handle: func(ctx *pipeline.Context, x *httpx.Exchange) error {
		if string(x.Request.Target()) == "/native" {
			return native(ctx, x)
		}
		return b.Handle(ctx, x)
	}})
}

// nativeHolder keeps the exchange that it is given.
type nativeHolder struct{ x *httpx.Exchange }

func (h *nativeHolder) serve(_ *pipeline.Context, x *httpx.Exchange) error {
	h.x = x
	return nil
}

// aggregating puts requests together before they are answered.
func aggregating(*pipeline.Channel) []pipeline.Handler {
	return []pipeline.Handler{&httpx.Aggregator{}}
}

// synctestSleep lets virtual time pass; it is for bubbles of synctest only.
func synctestSleep(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
