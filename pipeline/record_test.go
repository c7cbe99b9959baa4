package pipeline_test

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record is what happened, in order.
type record struct{ events []string }

func (r *record) add(s string) { r.events = append(r.events, s) }

// take gives the events since the last take.
func (r *record) take() []string {
	e := r.events
	r.events = nil
	return e
}

// reader records reads and passes them on, or does what its function says.
type reader struct {
	name string
	rec  *record
	do   func(ctx *pipeline.Context, msg any) error
}

func (r *reader) HandleRead(ctx *pipeline.Context, msg any) error {
	r.rec.add(r.name)
	if r.do != nil {
		return r.do(ctx, msg)
	}
	ctx.FireRead(msg)
	return nil
}

func (r *reader) HandleAdded(*pipeline.Context) error {
	r.rec.add("added " + r.name)
	return nil
}

func (r *reader) HandleRemoved(*pipeline.Context) error {
	r.rec.add("removed " + r.name)
	return nil
}

// writer records writes and passes them on.
type writer struct {
	name string
	rec  *record
}

func (w *writer) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	w.rec.add(w.name)
	return ctx.Forward(msg, p)
}

// life records everything about a channel's life and passes it on.
type life struct {
	name string
	rec  *record
}

func (l *life) HandleAdded(*pipeline.Context) error {
	l.rec.add("added " + l.name)
	return nil
}

func (l *life) HandleRemoved(*pipeline.Context) error {
	l.rec.add("removed " + l.name)
	return nil
}

func (l *life) HandleActive(ctx *pipeline.Context) error {
	l.rec.add("active " + l.name)
	ctx.FireActive()
	return nil
}

func (l *life) HandleInactive(ctx *pipeline.Context) error {
	l.rec.add("inactive " + l.name)
	ctx.FireInactive()
	return nil
}

func (l *life) HandleRead(ctx *pipeline.Context, msg any) error {
	l.rec.add("read " + l.name)
	ctx.FireRead(msg)
	return nil
}

func (l *life) HandleReadComplete(ctx *pipeline.Context) error {
	l.rec.add("complete " + l.name)
	ctx.FireReadComplete()
	return nil
}

// catcher takes errors.
type catcher struct {
	name string
	rec  *record
	errs []error
	back func(error) error // what HandleError returns; nil = nil
}

func (c *catcher) HandleError(_ *pipeline.Context, err error) error {
	if c.rec != nil {
		c.rec.add(c.name)
	}
	c.errs = append(c.errs, err)
	if c.back != nil {
		return c.back(err)
	}
	return nil
}

// message is a plain message.
type message struct{ n int }

// counted is a message that counts its references.
type counted struct{ refs int }

func (c *counted) Retain()  { c.refs++ }
func (c *counted) Release() { c.refs-- }

// handle makes a handler of a function that does not forward.
func handle(f func(ctx *pipeline.Context, msg any) error) pipeline.Handler { return pipeline.OnRead(f) }

// echo writes back what it reads.
func echo() pipeline.Handler {
	return handle(func(ctx *pipeline.Context, msg any) error { return ctx.Write(msg) })
}

// spy keeps its context, so that a test can act as a handler at that place.
type spy struct{ ctx *pipeline.Context }

func (s *spy) HandleAdded(ctx *pipeline.Context) error {
	s.ctx = ctx
	return nil
}

// note gives a promise of ch whose end is recorded: "name ok" or "name " and what became of it.
func (r *record) note(ch *pipeline.Channel, name string) *pipeline.Promise {
	p := ch.NewPromise()
	p.OnDone(func(err error) { r.add(name + " " + ending(err)) })
	return p
}

// ending is a result in a word or two.
func ending(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, pipeline.ErrCancelled):
		return "cancelled"
	case errors.Is(err, pipeline.ErrWriteClosed):
		return "write closed"
	case errors.Is(err, pipeline.ErrClosed):
		return "closed"
	case errors.Is(err, pipeline.ErrLoopClosed):
		return "loop closed"
	}
	return err.Error()
}

func newChannel(t *testing.T, handlers ...pipeline.Handler) *embedded.Channel {
	t.Helper()
	return newChannelWith(t, embedded.Config{}, handlers...)
}

// newChannelWith makes a channel that is finished with the test: no promise, buffer or timer may be left.
func newChannelWith(t *testing.T, cfg embedded.Config, handlers ...pipeline.Handler) *embedded.Channel {
	t.Helper()
	ch, err := embedded.New(cfg, handlers...)
	require.NoError(t, err)
	t.Cleanup(func() {
		left, _ := ch.Finish() // what nobody took is the test's own business
		require.Empty(t, left.Buffers)
		require.Empty(t, left.Promises)
		require.Empty(t, left.Timers)
	})
	return ch
}

// manual is a channel that sends nothing without Flush.
func manual() embedded.Config {
	return embedded.Config{Options: pipeline.Options{ManualFlush: true}}
}

func bytesOf(s string) *buffer.Buffer { return buffer.FromString(s) }

// pooled makes bytes from the pool of ch's loop, whose live buffers are counted.
func pooled(ch *pipeline.Channel, s string) *buffer.Buffer {
	b := ch.Loop().Pool().Get(len(s))
	b.AppendString(s)
	return b
}

// bare is a channel over a wire that shows every call, without a sink: what reaches the ends of its pipeline is
// treated as in a program.
type bare struct {
	*pipeline.Channel
	wire *wire
	logs *strings.Builder
	now  time.Time
}

// Now is the time that the test has set.
func (b *bare) Now() time.Time { return b.now }

func newBare(t *testing.T, opts pipeline.Options, handlers ...pipeline.Handler) *bare {
	t.Helper()
	b := &bare{wire: &wire{room: -1}, logs: &strings.Builder{}, now: time.Unix(1_000_000, 0)}
	b.open(t, opts, b.wire, handlers)
	return b
}

func (b *bare) open(t *testing.T, opts pipeline.Options, tr pipeline.Transport, handlers []pipeline.Handler) {
	t.Helper()
	opts = opts.WithDefaults()
	opts.Logger = slog.New(slog.NewTextHandler(b.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	loop := pipeline.NewLoop(pipeline.LoopConfig{Name: "bare", Clock: b, Logger: opts.Logger})
	loop.Bind()
	b.Channel = pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: tr, Options: &opts})
	b.Open(func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) })
	t.Cleanup(func() {
		b.CloseWith(pipeline.CloseNow, nil)
		b.run()
		loop.Close()
		require.Zero(t, loop.Pool().Live())
	})
}

// run does what a transport does, until nothing is left to do.
func (b *bare) run() {
	b.Loop().RunPending()
	for busy := true; busy; {
		busy = b.Loop().Pending() > 0
		b.Loop().RunPending()
		if b.wire.reads && b.wire.readable() {
			b.ReadReady()
			busy = true
		}
		if b.wire.writes && (b.wire.room != 0 || b.wire.fails != nil) {
			b.WriteReady()
			busy = true
		}
	}
}

// feed lets the peer send.
func (b *bare) feed(s string) {
	b.wire.in = append(b.wire.in, s...)
	b.run()
}

// wire is a transport in memory.
type wire struct {
	in     []byte
	fin    bool // the peer's, behind in
	out    []byte
	calls  []int // pieces of each writev
	room   int   // bytes that the peer still takes; -1 = all
	fails  error // what writev fails with
	unable error // what CloseWrite fails with

	reads, writes        bool
	finSent, closed, rst bool
}

func (w *wire) readable() bool { return len(w.in) > 0 || w.fin }

func (w *wire) Read(p []byte) (int, error) {
	if len(w.in) > 0 {
		n := copy(p, w.in)
		w.in = w.in[n:]
		return n, nil
	}
	if w.fin {
		return 0, io.EOF
	}
	return 0, pipeline.ErrWouldBlock
}

func (w *wire) Writev(pieces [][]byte) (int, error) {
	w.calls = append(w.calls, len(pieces))
	if w.fails != nil {
		return 0, w.fails
	}
	n := 0
	for _, p := range pieces {
		if w.room >= 0 {
			p = p[:min(len(p), w.room)]
			w.room -= len(p)
		}
		w.out = append(w.out, p...)
		n += len(p)
	}
	if n == 0 {
		return 0, pipeline.ErrWouldBlock
	}
	return n, nil
}

func (w *wire) SetInterest(read, write bool) error {
	w.reads, w.writes = read, write
	return nil
}

func (w *wire) CloseWrite() error {
	w.finSent = w.unable == nil
	return w.unable
}

func (w *wire) Close(reset bool) error {
	w.closed, w.rst = true, reset
	w.reads, w.writes = false, false
	return nil
}
