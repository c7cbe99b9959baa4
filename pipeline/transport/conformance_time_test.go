package transport_test

import (
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// timeBehaviours are about timers.
var timeBehaviours = []behaviour{
	{"timers fire in the order of their times", 0, timersInOrder},
	{"timers end with their channel", 0, timersEndWithChannel},
	{"a peer that takes nothing for too long is given up", 0, stallIsGivenUp},
	{"the loop sleeps while nothing happens", 0, sleepsIdle},
	{"the loop sleeps while a peer takes nothing", 0, sleepsBlocked},
	{"the loop sleeps while nobody reads what is there", 0, sleepsPaused},
	{"the loop sleeps after the peer's end", halfClose, sleepsHalfClosed},
}

func timersInOrder(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	start := make(chan time.Time, 1)
	var fired []string
	var done atomic.Bool
	w.do(func() {
		ctx := w.probe.context()
		start <- w.ch.Loop().Now()
		note := func(name string) func() { return func() { fired = append(fired, name) } }
		ctx.After(30*time.Millisecond, func() { fired = append(fired, "last"); done.Store(true) })
		ctx.After(10*time.Millisecond, note("first"))
		stopped := ctx.After(15*time.Millisecond, note("stopped"))
		moved := ctx.After(5*time.Millisecond, note("moved"))
		moved.Reset(20 * time.Millisecond)
		require.True(t, stopped.Stop())
		require.False(t, stopped.Stop())
	})
	s.back.advance(30 * time.Millisecond)
	w.await("the last timer has fired", done.Load)
	w.do(func() {
		require.Equal(t, []string{"first", "moved", "last"}, fired)
		require.GreaterOrEqual(t, w.ch.Loop().Now().Sub(<-start), 30*time.Millisecond)
	})
	w.peer.close()
	w.closed()
}

func timersEndWithChannel(s *stage) {
	t := s.t
	first := s.connect(pipeline.Options{}, &probe{})
	second := s.connect(pipeline.Options{}, &probe{})
	var fired, later atomic.Bool
	first.do(func() {
		first.probe.context().After(10*time.Millisecond, func() { fired.Store(true) })
		first.ch.Pipeline().Close(pipeline.CloseNow, nil)
	})
	first.closed()
	second.do(func() { second.probe.context().After(20*time.Millisecond, func() { later.Store(true) }) })
	s.back.advance(20 * time.Millisecond)
	second.await("a later timer has fired", later.Load)
	require.False(t, fired.Load())
	second.peer.close()
	second.closed()
}

func stallIsGivenUp(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{WriteStall: 60 * time.Millisecond}, &probe{})
	w.write(someMiB)
	s.back.advance(60 * time.Millisecond)
	w.closed()
	require.ErrorIs(t, w.cause(), pipeline.ErrWriteStall)
}

// sleeps checks that the loop of w does next to nothing for a while, and closes w.
func (w *wire) sleeps() {
	w.s.t.Helper()
	const batches = 200 // a loop that spins does thousands
	var over atomic.Bool
	var before uint64
	w.rounds()
	w.do(func() {
		before = w.ch.Loop().Busy()
		w.probe.context().After(30*time.Millisecond, func() { over.Store(true) })
	})
	w.s.back.advance(30 * time.Millisecond)
	w.await("the time has passed", over.Load)
	require.Less(w.s.t, w.ch.Loop().Busy()-before, uint64(2*batches), "times that the loop was busy or idle again")
	w.ch.CloseWith(pipeline.CloseNow, nil)
	w.closed()
}

func sleepsIdle(s *stage) {
	s.connect(pipeline.Options{}, &probe{}).sleeps()
}

func sleepsBlocked(s *stage) {
	w := s.connect(pipeline.Options{}, &probe{})
	w.write(someMiB)
	w.await("it is unwritable", w.probe.saw("unwritable"))
	w.rounds()
	w.sleeps()
}

func sleepsPaused(s *stage) {
	w := s.connect(pipeline.Options{}, &probe{onActive: func(ctx *pipeline.Context) { ctx.SetAutoRead(false) }})
	w.send(pattern(someMiB))
	w.sleeps()
}

func sleepsHalfClosed(s *stage) {
	w := s.connect(pipeline.Options{AllowHalfClose: true}, &probe{})
	w.closeWrite()
	w.await("the end is seen", w.probe.saw("readClosed"))
	w.sleeps()
}
