package transport

import (
	"bytes"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// blocker blocks its loop until it is let go.
type blocker struct{ release chan struct{} }

func (b *blocker) HandleRead(ctx *pipeline.Context, msg any) error {
	b.wait()
	ctx.FireRead(msg)
	return nil
}

func (b *blocker) wait() { <-b.release }

func TestStallIsReportedWithItsHandlerAndOtherLoopsGoOn(t *testing.T) {
	b := &blocker{release: make(chan struct{})}
	stalls := make(chan Stall, 8)
	s := &Server{
		Loops: 2, StallAfter: 50 * time.Millisecond, OnStall: func(s Stall) { stalls <- s },
		Init: func(ch *pipeline.Channel) error {
			if ch.Loop().Name() == "server/0" {
				if err := ch.Pipeline().AddLast(b); err != nil {
					return err
				}
			}
			return echoInit(ch)
		},
	}
	serve(t, s)
	blocked, free := connectTo(t, s, 0), connectTo(t, s, 0)
	eventually(t, "both are there", func() bool { return s.Channels().Len() == 2 })
	start := time.Now()
	_, err := blocked.Write([]byte("x"))
	require.NoError(t, err)
	stall := receive(t, stalls)
	require.Less(t, time.Since(start), time.Second)
	require.Equal(t, "server/0", stall.Loop)
	require.GreaterOrEqual(t, stall.Blocked, 50*time.Millisecond)
	require.Equal(t, "transport.(*blocker).HandleRead", stall.Handler)
	require.Contains(t, stall.Stack, "(*blocker).wait")
	require.NotContains(t, stall.Stack, "\n\ngoroutine")
	roundTrip(t, free, "unaffected")
	close(b.release)
	_, err = blocked.Read(make([]byte, 1))
	require.NoError(t, err)
	require.Empty(t, stalls, "it is reported once")
	require.Equal(t, int64(1), s.Stats().Stalls)
}

func TestStallIsLoggedByDefault(t *testing.T) {
	b := &blocker{release: make(chan struct{})}
	var out lockedBuffer
	s := &Server{StallAfter: 10 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&out, nil)), Init: with(b)}
	serve(t, s)
	_, err := connectTo(t, s, 0).Write([]byte("x"))
	require.NoError(t, err)
	eventually(t, "it is logged", func() bool { return s.Stats().Stalls == 1 && out.contains("event loop blocked") })
	close(b.release)
}

func TestServerEndsWhileItsReportBlocks(t *testing.T) {
	b := &blocker{release: make(chan struct{})}
	stalls, goOn := make(chan Stall, 1), make(chan struct{})
	s := &Server{StallAfter: 10 * time.Millisecond, Init: with(b), OnStall: func(s Stall) {
		stalls <- s
		<-goOn
	}}
	stop := serve(t, s)
	c := connectTo(t, s, 0)
	_, err := c.Write([]byte("x"))
	require.NoError(t, err)
	receive(t, stalls)
	close(b.release)
	require.NoError(t, c.Close())
	require.NoError(t, stop())
	close(goOn)
}

func TestServerCanBeClosedFromItsReport(t *testing.T) {
	b := &blocker{release: make(chan struct{})}
	closed := make(chan error, 1)
	s := &Server{StallAfter: 10 * time.Millisecond, Init: with(b)}
	s.OnStall = func(Stall) {
		close(b.release)
		closed <- s.Close()
	}
	serve(t, s)
	_, err := connectTo(t, s, 0).Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, receive(t, closed))
}

func TestReportThatPanicsIsLoggedAndOthersFollow(t *testing.T) {
	var out lockedBuffer
	stalls := make(chan Stall, 8)
	s := &Server{
		Loops: 1, StallAfter: 10 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&out, nil)),
		OnStall: func(s Stall) {
			stalls <- s
			panic("oops")
		},
		Init: echoInit,
	}
	serve(t, s)
	roundTrip(t, connectTo(t, s, 0), "hello")
	loop := one(t, s).Loop()
	for range 2 {
		release := make(chan struct{})
		require.NoError(t, loop.Post(func() { <-release }))
		receive(t, stalls)
		close(release)
	}
	eventually(t, "both are logged", func() bool { return out.count("panic in Server.OnStall") == 2 })
}

// witness is a handler that looks in one of its callbacks.
type witness struct {
	event string
	look  func()
	pipeline.Unshared
}

func (w *witness) at(event string) {
	if w.event == event {
		w.look()
	}
}

func (w *witness) HandleAdded(*pipeline.Context) error        { w.at("HandleAdded"); return nil }
func (w *witness) HandleActive(*pipeline.Context) error       { w.at("HandleActive"); return nil }
func (w *witness) HandleEvent(*pipeline.Context, any) error   { w.at("HandleEvent"); return nil }
func (w *witness) HandleError(*pipeline.Context, error) error { w.at("HandleError"); return nil }
func (w *witness) HandleInactive(*pipeline.Context) error     { w.at("HandleInactive"); return nil }
func (w *witness) HandleRemoved(*pipeline.Context) error      { w.at("HandleRemoved"); return nil }

func (w *witness) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.Release(msg)
	w.at("HandleRead")
	return nil
}

func (w *witness) HandleFlush(ctx *pipeline.Context) error {
	w.at("HandleFlush")
	ctx.Flush()
	return nil
}

func (w *witness) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	w.at("HandleWrite")
	return ctx.Forward(msg, p)
}

func (w *witness) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	w.at("HandleClose")
	return ctx.ForwardClose(how, p)
}

func TestStackOfALoopShowsWhichCallbackRuns(t *testing.T) {
	for _, event := range []string{
		"HandleAdded", "HandleActive", "HandleRead", "HandleEvent", "HandleError", "HandleWrite", "HandleFlush", "HandleClose",
		"HandleInactive", "HandleRemoved",
	} {
		t.Run(event, func(t *testing.T) {
			found := ""
			live(func(loop *pipeline.Loop, ch *pipeline.Channel) {
				w := &witness{event: event, look: func() { found = handlerOn(loop) }}
				ch.Open(with(w))
				p := ch.Pipeline()
				p.FireRead(buffer.FromString("x"))
				p.FireEvent(event)
				p.FireError(net.ErrWriteToConnected)
				_ = p.Write(buffer.FromString("x")) // it is dropped
				p.Flush()
				p.Close(pipeline.CloseNow, nil)
				loop.RunPending()
			})
			require.Equal(t, "transport.(*witness)."+event, found)
		})
	}
}

func TestStackOfALoopShowsWhichFunctionRuns(t *testing.T) {
	for name, start := range map[string]func(ch *pipeline.Channel, look func()){
		"a task":       func(ch *pipeline.Channel, look func()) { _ = ch.Post(func() { look() }) },
		"a loop's own": func(ch *pipeline.Channel, look func()) { _ = ch.Loop().Post(func() { look() }) },
		"a timer":      func(ch *pipeline.Channel, look func()) { ch.After(0, func() { look() }) },
		"a listener": func(ch *pipeline.Channel, look func()) {
			p := ch.NewPromise()
			p.OnDone(func(error) { look() })
			p.Succeed()
		},
		"an edge": func(ch *pipeline.Channel, look func()) {
			_ = ch.Pipeline().AddLast(pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error { look(); return nil }))
			ch.Pipeline().FireRead(buffer.FromString("x"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := ""
			live(func(loop *pipeline.Loop, ch *pipeline.Channel) {
				ch.Open(nil)
				start(ch, func() { found = handlerOn(loop) })
				loop.RunPending()
			})
			require.Regexp(t, `^transport\.TestStackOfALoopShowsWhichFunctionRuns\.func\d\.\d$`, found)
		})
	}
	live(func(loop *pipeline.Loop, ch *pipeline.Channel) {
		ch.Open(func(*pipeline.Channel) error {
			require.Regexp(t, `^transport\.TestStackOfALoopShowsWhichFunctionRuns\.`, handlerOn(loop))
			return nil
		})
	})
	require.Empty(t, pipeline.HandlerInStack([]byte("goroutine 1 [running]:\nmain.main()\n\t/x.go:1 +0x1")))
	require.Empty(t, stackOf(-1))
}

// handlerOn is what a report would say now.
func handlerOn(l *pipeline.Loop) string {
	return pipeline.HandlerInStack([]byte(stackOf(l.Goroutine())))
}

// live makes a channel on a loop that the calling goroutine runs.
func live(f func(loop *pipeline.Loop, ch *pipeline.Channel)) {
	loop := pipeline.NewLoop(pipeline.LoopConfig{Logger: quiet})
	loop.Bind()
	f(loop, pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: nowhere{}}))
	loop.Close()
}

// lockedBuffer is a bytes.Buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) contains(s string) bool { return l.count(s) > 0 }

func (l *lockedBuffer) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.b.Bytes(), []byte(s))
}

// nowhere is a socket that nothing comes from.
type nowhere struct{}

func (nowhere) Read([]byte) (int, error)     { return 0, pipeline.ErrWouldBlock }
func (nowhere) Writev([][]byte) (int, error) { return 0, pipeline.ErrWouldBlock }
func (nowhere) SetInterest(_, _ bool) error  { return nil }
func (nowhere) CloseWrite() error            { return nil }
func (nowhere) Close(bool) error             { return nil }
