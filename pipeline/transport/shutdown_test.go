package transport

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// lastWord notes the order of what happens at the end, and answers the shutdown event.
type lastWord struct {
	order chan string
	hold  bool // the close waits for release
	ctx   *pipeline.Context
	how   pipeline.CloseMode
	p     *pipeline.Promise
}

func (l *lastWord) HandleActive(ctx *pipeline.Context) error {
	l.ctx = ctx
	l.order <- "active"
	return nil
}

func (l *lastWord) HandleEvent(ctx *pipeline.Context, event any) error {
	if _, ok := event.(pipeline.ShutdownEvent); ok {
		l.order <- "shutdown"
		return ctx.Write(buffer.FromString("bye"))
	}
	return nil
}

func (l *lastWord) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	l.order <- "close " + how.String()
	if l.hold {
		l.how, l.p = how, p
		return nil
	}
	return ctx.ForwardClose(how, p)
}

func (l *lastWord) HandleInactive(*pipeline.Context) error {
	l.order <- "inactive"
	return nil
}

func TestShutdownTellsEveryPipelineAndDrains(t *testing.T) {
	for _, goroutines := range []bool{false, true} {
		order := make(chan string, 16)
		s := &Server{Goroutines: goroutines, Init: with(&lastWord{order: order})}
		stop := serve(t, s)
		c := connectTo(t, s, 0)
		require.Equal(t, "active", receive(t, order))
		all := make(chan string)
		go func() {
			b, _ := io.ReadAll(c) // what came is compared
			_ = c.Close()
			all <- string(b)
		}()
		require.NoError(t, stop())
		require.Equal(t, "bye", receive(t, all))
		for _, want := range []string{"shutdown", "close drain", "inactive"} {
			require.Equal(t, want, receive(t, order))
		}
		_, err := net.Dial("tcp", s.Addrs()[0].String())
		require.Error(t, err, "nobody listens")
	}
}

func TestShutdownDeliversWhatIsQueued(t *testing.T) {
	const size = 64 << 20
	queued := make(chan struct{})
	s := &Server{Loops: 1, Options: pipeline.Options{HardCap: 2 * size}, Init: with(active(func(ctx *pipeline.Context) error {
		defer close(queued)
		for range size >> 20 {
			b := ctx.Alloc(1 << 20)
			b.Append(make([]byte, 1<<20))
			if err := ctx.Write(b); err != nil {
				return err
			}
		}
		return nil
	}))}
	stop := serve(t, s)
	c := connectTo(t, s, 0)
	receive(t, queued)
	total := make(chan int)
	go func() {
		n, _ := readSlowly(c, func(int, []byte) {}) // all of it has to come
		total <- n
	}()
	require.NoError(t, stop())
	require.Equal(t, size, receive(t, total))
}

func TestShutdownCutsWhatDoesNotEnd(t *testing.T) {
	order := make(chan string, 16)
	s := &Server{Init: with(&lastWord{order: order, hold: true})}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	c := connectTo(t, s, 0)
	require.Equal(t, "active", receive(t, order))
	parent, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Shutdown(parent), context.DeadlineExceeded)
	require.NoError(t, receive(t, served))
	for _, want := range []string{"shutdown", "close drain", "close now", "inactive"} {
		require.Equal(t, want, receive(t, order))
	}
	_, err := io.ReadAll(c)
	if err != nil {
		require.ErrorContains(t, err, "reset")
	}
	require.Zero(t, s.Stats().Open)
}

func TestServeReturnsTheErrorOfACutDrain(t *testing.T) {
	s := &Server{DrainTimeout: 20 * time.Millisecond, Init: with(&lastWord{order: make(chan string, 16), hold: true})}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	parent, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(parent) }()
	connectTo(t, s, 0)
	one(t, s)
	cancel()
	require.ErrorIs(t, receive(t, served), context.DeadlineExceeded)
}

func TestServeIsNotToldOfACloseThatEndsItsDrain(t *testing.T) {
	order := make(chan string, 16)
	s := &Server{Init: with(&lastWord{order: order, hold: true})}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	parent, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(parent) }()
	connectTo(t, s, 0)
	require.Equal(t, "active", receive(t, order))
	cancel()
	require.Equal(t, "shutdown", receive(t, order))
	require.NoError(t, s.Close())
	require.NoError(t, receive(t, served))
}

func TestCloseHurriesAShutdown(t *testing.T) {
	order := make(chan string, 16)
	s := &Server{Init: with(&lastWord{order: order, hold: true})}
	serve(t, s)
	connectTo(t, s, 0)
	require.Equal(t, "active", receive(t, order))
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(context.Background()) }()
	require.Equal(t, "shutdown", receive(t, order))
	require.NoError(t, s.Close())
	require.ErrorIs(t, receive(t, done), ErrServerClosed)
}

func TestSecondShutdownWaitsForTheFirst(t *testing.T) {
	order := make(chan string, 16)
	last := &lastWord{order: order, hold: true}
	s := &Server{Init: with(last)}
	serve(t, s)
	c := connectTo(t, s, 0)
	require.Equal(t, "active", receive(t, order))
	var done atomic.Int32
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			err := s.Shutdown(context.Background())
			done.Add(1)
			errs <- err
		}()
	}
	require.Equal(t, "shutdown", receive(t, order))
	require.Equal(t, "close drain", receive(t, order))
	require.Zero(t, done.Load())
	ch := last.ctx.Channel()
	require.NoError(t, ch.Post(func() {
		if err := last.ctx.ForwardClose(last.how, last.p); err != nil {
			panic(err)
		}
	}))
	_, err := io.ReadAll(c)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, receive(t, errs))
	require.NoError(t, receive(t, errs))
}

func TestServerCanBeClosedFromItsOwnLoop(t *testing.T) {
	result := make(chan error, 1)
	var s *Server
	s = &Server{Init: with(active(func(ctx *pipeline.Context) error {
		result <- s.Shutdown(context.Background())
		return s.Close()
	}))}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	connectTo(t, s, 0)
	require.ErrorIs(t, receive(t, result), pipeline.ErrOnLoop)
	require.NoError(t, receive(t, served))
}

func TestShutdownRefusesWhoIsOnTheWay(t *testing.T) {
	release := make(chan struct{})
	s := &Server{Loops: 1, Options: pipeline.Options{Linger: 10 * time.Millisecond}, Init: echoInit}
	serve(t, s)
	roundTrip(t, connectTo(t, s, 0), "hello")
	ch := one(t, s)
	require.NoError(t, ch.Loop().Post(func() { <-release }))
	late := connectTo(t, s, 0)
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(context.Background()) }()
	eventually(t, "it has begun", s.closing.Load)
	close(release)
	_, err := late.Read(make([]byte, 1))
	require.ErrorIs(t, err, syscall.ECONNRESET)
	require.NoError(t, ch.Close())
	require.NoError(t, receive(t, done))
}
