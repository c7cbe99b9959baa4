package nethttp

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"sync"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// DefaultMaxRunning is how many handlers of a Bridge run at a time.
const DefaultMaxRunning = 10_000

// Bridge runs an http.Handler. The zero value runs http.DefaultServeMux. One Bridge serves any number of connections;
// set the fields before the first one and leave them alone afterwards.
type Bridge struct {
	// Handler answers the requests. nil = http.DefaultServeMux.
	Handler http.Handler
	// MaxRunning is how many handlers run at a time, one goroutine each; requests beyond get 503. 0 = 10,000.
	MaxRunning int
	// DisableGeneralOptionsHandler passes "OPTIONS *" to Handler; otherwise the bridge answers it with 200.
	DisableGeneralOptionsHandler bool
	// Logger gets panics of handlers and misuse of ResponseWriters. nil = that of the channel.
	Logger *slog.Logger
	// Context makes the parent of the contexts of a connection's requests from one that has the keys of net/http. It
	// runs on the event loop for each request. nil = parent itself.
	Context func(parent context.Context, ch *pipeline.Channel) context.Context
	// TLS tells the TLS state of a connection, nil for plain text. It runs on the event loop for each request.
	// nil = what the transport tells, when it is one over a tls.Conn.
	TLS func(ch *pipeline.Channel) *tls.ConnectionState

	once sync.Once
	base context.Context

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when the last handler has returned; nil = nobody waits
}

// Handler is the Handle of a Bridge with all defaults. Safe for concurrent use.
func Handler(h http.Handler) httpx.HandlerFunc { return (&Bridge{Handler: h}).Handle }

// Running is how many handlers run at the moment, those that have taken their connection over included. Safe for
// concurrent use.
func (b *Bridge) Running() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running
}

// Wait returns when no handler runs, or with parent's error. A program that stops waits behind the Shutdown of its
// server: the handlers' contexts have ended then. It waits, so it must not be called on an event loop. Safe for
// concurrent use.
func (b *Bridge) Wait(parent context.Context) error {
	b.mu.Lock()
	if b.running == 0 {
		b.mu.Unlock()
		return nil
	}
	if b.idle == nil {
		b.idle = make(chan struct{})
	}
	idle := b.idle
	b.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-parent.Done():
		return context.Cause(parent)
	}
}

// enter counts a handler, unless too many run.
func (b *Bridge) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running >= b.maxRunning() {
		return false
	}
	b.running++
	return true
}

func (b *Bridge) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running--; b.running == 0 && b.idle != nil {
		close(b.idle)
		b.idle = nil
	}
}

// Handle begins a request on a goroutine of its own: it is the httpx.HandlerFunc. It returns an *httpx.Error with status
// 400 for a target that net/url cannot read, and 503 when too many handlers run. Call it on the event loop only.
func (b *Bridge) Handle(_ *pipeline.Context, x *httpx.Exchange) error {
	x.Alone()
	c := newCall(b, x)
	req, err := b.request(x, c)
	if err != nil {
		c.cancel(err)
		return err
	}
	if !b.enter() {
		c.cancel(context.Canceled)
		return &httpx.Error{Status: http.StatusServiceUnavailable, Reason: "too many requests at a time"}
	}
	c.begin(req)
	go c.run()
	return nil
}

func (b *Bridge) maxRunning() int {
	if b.MaxRunning <= 0 {
		return DefaultMaxRunning
	}
	return b.MaxRunning
}

// handler is what answers r.
func (b *Bridge) handler(r *http.Request) http.Handler {
	switch {
	case r.Method == http.MethodOptions && r.RequestURI == "*" && !b.DisableGeneralOptionsHandler:
		return http.HandlerFunc(generalOptions)
	case b.Handler == nil:
		return http.DefaultServeMux
	}
	return b.Handler
}

// generalOptions answers "OPTIONS *", which asks about no resource. RFC 9110, 9.3.7.
func generalOptions(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
}

// baseContext has what the contexts of all requests share.
func (b *Bridge) baseContext() context.Context {
	b.once.Do(func() {
		b.base = context.WithValue(context.Background(), http.ServerContextKey, &http.Server{Handler: b.Handler})
	})
	return b.base
}

// context makes that of a request.
func (b *Bridge) context(ch *pipeline.Channel) context.Context {
	parent := context.WithValue(b.baseContext(), http.LocalAddrContextKey, ch.LocalAddr())
	if b.Context != nil {
		parent = b.Context(parent, ch)
	}
	return parent
}

func (b *Bridge) logger(ch *pipeline.Channel) *slog.Logger {
	if b.Logger != nil {
		return b.Logger
	}
	return ch.Logger()
}
