package transport_test

import (
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// faultBehaviours are about ends that nobody wants.
var faultBehaviours = []behaviour{
	{"a reset by the peer ends the channel once, with the cause", reset, peerResets},
	{"a reset while nothing is read is seen", reset | watchful, resetWhilePaused},
	{"a reset of a writing channel fails its promises", reset, resetWhileWriting},
	{"what the peer sent before a write fails is read", reset, failedWriteReadsOn},
	{"a panic closes only the channel it happened in", 0, panicIsContained},
	{"runtime.Goexit closes only the channel it happened in", ownGoroutine, goexitIsContained},
	{"an error of init closes before anything is active", ownGoroutine, initFails},
	{"an error that nobody handles closes", 0, unhandledErrorCloses},
}

var errOops = errors.New("oops")

func peerResets(s *stage) {
	t := s.t
	p := &probe{onRead: echo}
	w := s.connect(pipeline.Options{}, p)
	w.send("x")
	require.Equal(t, "x", w.recv(1))
	w.reset()
	w.closed()
	require.ErrorIs(t, w.cause(), pipeline.ErrReset)
	require.Equal(t, 1, p.count("inactive"))
	require.Len(t, p.failures(), 1)
	require.ErrorIs(t, p.failures()[0], pipeline.ErrReset)
	require.Zero(t, p.count("readClosed"))
}

func resetWhilePaused(s *stage) {
	t := s.t
	p := &probe{onActive: func(ctx *pipeline.Context) { ctx.SetAutoRead(false) }}
	w := s.connect(pipeline.Options{}, p)
	w.send("x")
	w.rounds()
	w.reset()
	w.closed()
	require.ErrorIs(t, w.cause(), pipeline.ErrReset)
}

func resetWhileWriting(s *stage) {
	t := s.t
	p := &probe{}
	w := s.connect(pipeline.Options{}, p)
	answer := make(chan error, 1)
	w.do(func() {
		written := w.ch.NewPromise()
		written.OnDone(func(err error) {
			require.Zero(t, p.count("inactive"), "promises fail before inactive")
			answer <- err
		})
		w.ch.Pipeline().WriteWith(bytesOf(pattern(someMiB)), written)
	})
	w.recv(10)
	w.reset()
	w.closed()
	require.Error(t, <-answer)
	require.Error(t, w.cause())
	require.Equal(t, 1, p.count("inactive"))
}

func failedWriteReadsOn(s *stage) {
	t := s.t
	p := &probe{}
	w := s.connect(pipeline.Options{}, p)
	w.write(someMiB)
	w.await("it is unwritable", p.saw("unwritable"))
	w.recv(10)
	w.refuse("413 too much")
	w.closed()
	require.Equal(t, "413 too much", p.read())
	require.Error(t, w.cause())
	require.Zero(t, p.count("writable"))
}

// mishaps are the callbacks in which something can go wrong.
func mishaps(wrong func()) map[string]func(w *wire) {
	return map[string]func(w *wire){
		"read":  func(w *wire) { w.send("wrong") },
		"task":  func(w *wire) { _ = w.ch.Post(wrong) },
		"timer": func(w *wire) { w.do(func() { w.probe.context().After(time.Millisecond, wrong) }) },
		"promise": func(w *wire) {
			w.do(func() {
				written := w.ch.NewPromise()
				written.OnDone(func(error) { wrong() })
				w.ch.Pipeline().WriteWith(bytesOf("reply"), written)
			})
			w.recv(5)
		},
	}
}

func contained(t *testing.T, s *stage, wrong func(), check func(t *testing.T, cause error)) {
	t.Helper()
	other := s.connect(pipeline.Options{}, &probe{onRead: echo})
	for where, happen := range mishaps(wrong) {
		s.run(where, func() {
			t := s.t
			p := &probe{}
			p.onRead = func(_ *pipeline.Context, b *buffer.Buffer) error {
				b.Release()
				wrong()
				return nil
			}
			w := s.connect(pipeline.Options{}, p)
			happen(w)
			s.back.advance(time.Millisecond)
			w.closed()
			check(t, w.cause())
			require.Equal(t, 1, p.count("inactive"))
			other.send("still here")
			require.Equal(t, "still here", other.recv(10))
		})
	}
	other.peer.close()
	other.closed()
}

func panicIsContained(s *stage) {
	t := s.t
	contained(t, s, func() { panic(errOops) }, func(t *testing.T, cause error) {
		t.Helper()
		var p *pipeline.PanicError
		require.ErrorAs(t, cause, &p)
		require.ErrorIs(t, cause, errOops)
	})
}

func goexitIsContained(s *stage) {
	t := s.t
	contained(t, s, runtime.Goexit, func(t *testing.T, cause error) {
		t.Helper()
		require.ErrorIs(t, cause, pipeline.ErrGoexit)
	})
}

func initFails(s *stage) {
	t := s.t
	p := &probe{initFails: errOops}
	w := s.connect(pipeline.Options{}, p)
	w.closed()
	require.ErrorIs(t, w.cause(), errOops)
	require.Empty(t, p.all())
	_, err := w.recvAll()
	require.True(t, err == nil || !errors.Is(err, io.ErrUnexpectedEOF))
}

func unhandledErrorCloses(s *stage) {
	t := s.t
	p := &probe{onRead: func(_ *pipeline.Context, b *buffer.Buffer) error {
		b.Release()
		return errOops
	}}
	w := s.connect(pipeline.Options{}, p)
	w.send("x")
	w.await("the error is seen", p.saw("error"))
	w.peer.close()
	w.closed()
	require.ErrorIs(t, w.cause(), errOops)
}
