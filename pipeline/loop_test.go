package pipeline_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestLoopKnowsItsGoroutine(t *testing.T) {
	loop := pipeline.NewLoop(pipeline.LoopConfig{Name: "mine"})
	require.False(t, loop.OnLoop())
	loop.Bind()
	require.True(t, loop.OnLoop())
	require.Positive(t, loop.Goroutine())
	require.Equal(t, "mine", loop.Name())
	var other sync.WaitGroup
	other.Go(func() {
		if loop.OnLoop() {
			t.Error("this is another goroutine")
		}
	})
	other.Wait()
	loop.Close()
}

func TestLoopTimeStandsStillWithinABatch(t *testing.T) {
	b := newBare(t, pipeline.Options{})
	b.Inject(func(*pipeline.Pipeline) {
		first := b.Loop().Now()
		b.now = b.now.Add(time.Second)
		require.Equal(t, first, b.Loop().Now())
	})
	require.Equal(t, b.now, b.Loop().Now(), "outside it is the clock's")
	b.Inject(func(*pipeline.Pipeline) { require.Equal(t, b.now, b.Loop().Now()) })
}

func TestLoopUsesTheMachinesClockByDefault(t *testing.T) {
	loop := pipeline.NewLoop(pipeline.LoopConfig{})
	before := time.Now()
	require.False(t, loop.Now().Before(before))
	loop.Bind()
	loop.Close()
}

func TestBusyIsOddWhileABatchRuns(t *testing.T) {
	b := newBare(t, pipeline.Options{})
	before := b.Loop().Busy()
	require.Zero(t, before%2)
	b.Inject(func(*pipeline.Pipeline) { require.Equal(t, before+1, b.Loop().Busy()) })
	require.Equal(t, before+2, b.Loop().Busy())
}

func TestLoopCloseFailsWhatIsQueued(t *testing.T) {
	rec, group := &record{}, &pipeline.Group{}
	loop := pipeline.NewLoop(pipeline.LoopConfig{})
	loop.Bind()
	open := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: &wire{room: -1}})
	closed := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: &wire{room: -1}})
	for _, ch := range []*pipeline.Channel{open, closed} {
		ch.Open(nil)
	}
	closed.CloseWith(pipeline.CloseNow, nil)
	loop.RunPending()
	require.True(t, closed.Closed())

	m := &counted{refs: 1}
	require.NoError(t, open.Send(m, rec.note(open, "write")))
	open.CloseWith(pipeline.CloseNow, rec.note(open, "close of an open channel"))
	closed.CloseWith(pipeline.CloseNow, rec.note(closed, "close"))
	require.NoError(t, loop.Post(func() { t.Error("runs no more") }))
	group.Add(open)
	p := open.NewPromise()
	p.OnDone(func(error) {
		require.ErrorIs(t, loop.Post(func() {}), pipeline.ErrLoopClosed)
		rec.add("listener")
	})
	require.NoError(t, open.Send(bytesOf("x"), p))
	loop.Close()
	require.Equal(t, []string{"write loop closed", "close of an open channel loop closed", "close ok", "listener"}, rec.take())
	require.Zero(t, m.refs)
	require.Zero(t, group.Len())

	late := &counted{refs: 1}
	require.ErrorIs(t, open.Send(late, nil), pipeline.ErrLoopClosed)
	require.Zero(t, late.refs)
	require.ErrorIs(t, open.Post(func() {}), pipeline.ErrLoopClosed)
	open.CloseWith(pipeline.CloseNow, rec.note(open, "late close"))
	require.Equal(t, []string{"late close ok"}, rec.take())
	group.Add(open)
	require.Zero(t, group.Len())
}

func TestChannelsThatTouchEachOtherWithoutEnd(t *testing.T) {
	wakes := 0
	loop := pipeline.NewLoop(pipeline.LoopConfig{Wake: func() { wakes++ }})
	loop.Bind()
	w := &wire{room: -1}
	ch := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: w})
	ch.Open(nil)
	writes := 0
	var again func(error)
	again = func(err error) {
		if writes++; err == nil {
			p := ch.NewPromise()
			p.OnDone(again)
			ch.Pipeline().WriteWith(bytesOf("x"), p)
		}
	}
	ch.Inject(func(*pipeline.Pipeline) { again(nil) })
	require.Less(t, writes, 1000, "the batch ends")
	require.NotZero(t, wakes, "and the rest has its turn")
	before := writes
	loop.RunPending()
	require.Greater(t, writes, before)
	ch.Pipeline().Close(pipeline.CloseNow, nil)
	loop.RunPending()
	loop.Close()
}

// producer writes whenever there is room.
type producer struct{}

func (producer) HandleWritability(ctx *pipeline.Context) error {
	for ctx.Channel().Writable() {
		if err := ctx.Write(bytesOf(strings.Repeat("x", 16<<10))); err != nil {
			return err
		}
	}
	return nil
}

func TestAProducerWhosePeerTakesEverythingLetsOthersHaveTheirTurn(t *testing.T) {
	loop := pipeline.NewLoop(pipeline.LoopConfig{})
	loop.Bind()
	w := &wire{room: -1}
	ch := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: w})
	ch.Open(func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(producer{}) })
	ch.Inject(func(p *pipeline.Pipeline) { _ = producer{}.HandleWritability(p.ContextOf(producer{})) })
	for range 10 {
		sent := len(w.out)
		require.NotZero(t, sent)
		require.LessOrEqual(t, sent, 512<<10, "in one batch")
		w.out = w.out[:0]
		loop.RunPending()
	}
	ch.Pipeline().Close(pipeline.CloseNow, nil)
	loop.RunPending()
	loop.Close()
}

// inGoroutine runs f, which may end its goroutine, on another one.
func inGoroutine(f func()) {
	var g sync.WaitGroup
	g.Go(f)
	g.Wait()
}

func TestGoexitClosesTheChannelAndTheLoopGoesOn(t *testing.T) {
	leave := func(*pipeline.Context, any) error {
		runtime.Goexit()
		return nil
	}
	for name, run := range map[string]func(b *bare){
		"in a read": func(b *bare) { b.Inject(func(p *pipeline.Pipeline) { p.FireRead(&message{}) }) },
		"in a task": func(b *bare) { _ = b.Post(runtime.Goexit); b.Loop().RunPending() },
		"in a timer, before the tasks": func(b *bare) {
			b.After(0, runtime.Goexit)
			_ = b.Loop().Post(func() {})
			b.Loop().RunPending()
		},
		"in a listener": func(b *bare) {
			p := b.NewPromise()
			p.OnDone(func(error) { runtime.Goexit() })
			b.Pipeline().WriteWith(bytesOf("x"), p)
			b.Loop().RunPending()
		},
	} {
		t.Run(name, func(t *testing.T) {
			rec, wakes := &record{}, 0
			loop := pipeline.NewLoop(pipeline.LoopConfig{Wake: func() { wakes++ }})
			loop.Bind()
			newOne := func(handlers ...pipeline.Handler) *bare {
				b := &bare{wire: &wire{room: -1}}
				b.Channel = pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: b.wire})
				b.Open(func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) })
				return b
			}
			bad := newOne(&life{"A", rec}, handle(leave))
			other := newOne(echo())
			rec.take()
			inGoroutine(func() {
				loop.Bind()
				run(bad)
				t.Error("the goroutine has ended")
			})
			require.Equal(t, 1, int(loop.Busy()%2), "cut short in the middle of a batch")
			wakes = 0
			loop.Bind()
			require.Zero(t, loop.Busy()%2)
			require.Equal(t, 1, wakes, "there is something left to do")
			loop.RunPending()
			require.ErrorIs(t, bad.Cause(), pipeline.ErrGoexit)
			require.True(t, bad.Closed())
			require.Equal(t, "inactive A", rec.events[len(rec.events)-2])
			other.wire.in = []byte("still here")
			other.ReadReady()
			require.Equal(t, "still here", string(other.wire.out))
			require.NoError(t, loop.Post(func() { rec.add("task") }))
			loop.RunPending()
			require.Equal(t, "task", rec.events[len(rec.events)-1])
			require.EqualValues(t, 1, loop.Stats().Panics)
			other.Pipeline().Close(pipeline.CloseNow, nil)
			loop.RunPending()
			loop.Close()
		})
	}
}

func TestGoexitSparesTheChannelAroundIt(t *testing.T) {
	newPair := func(t *testing.T) (loop *pipeline.Loop, around, inner *bare) {
		t.Helper()
		loop = pipeline.NewLoop(pipeline.LoopConfig{})
		loop.Bind()
		newOne := func() *bare {
			b := &bare{wire: &wire{room: -1}}
			b.Channel = pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: b.wire})
			b.Open(nil)
			return b
		}
		return loop, newOne(), newOne()
	}
	end := func(loop *pipeline.Loop, channels ...*bare) {
		for _, b := range channels {
			b.Pipeline().Close(pipeline.CloseNow, nil)
		}
		loop.RunPending()
		loop.Close()
	}
	t.Run("in whose flush a listener of another channel left", func(t *testing.T) {
		rec := &record{}
		loop, around, inner := newPair(t)
		p := inner.NewPromise()
		p.OnDone(func(error) { runtime.Goexit() })
		inGoroutine(func() {
			loop.Bind()
			around.Pipeline().WriteWith(bytesOf("one "), p)
			around.Pipeline().WriteWith(bytesOf("two"), rec.note(around.Channel, "two"))
			loop.RunPending()
		})
		loop.Bind()
		loop.RunPending()
		require.True(t, inner.Closed())
		require.ErrorIs(t, inner.Cause(), pipeline.ErrGoexit)
		require.True(t, around.IsOpen())
		require.Equal(t, "one two", string(around.wire.out))
		require.Equal(t, []string{"two ok"}, rec.take(), "it goes on where it was")
		require.NoError(t, around.Pipeline().Write(bytesOf(" three")))
		loop.RunPending()
		require.Equal(t, "one two three", string(around.wire.out))
		end(loop, around, inner)
	})
	t.Run("unless it was being set up", func(t *testing.T) {
		loop, around, inner := newPair(t)
		w := &wire{room: -1}
		late := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: w})
		inGoroutine(func() {
			loop.Bind()
			late.Open(func(*pipeline.Channel) error {
				inner.Inject(func(*pipeline.Pipeline) { runtime.Goexit() })
				return nil
			})
		})
		loop.Bind()
		loop.RunPending()
		require.True(t, inner.Closed())
		require.True(t, late.Closed(), "its init never finishes")
		require.True(t, w.closed)
		require.True(t, around.IsOpen())
		end(loop, around, inner)
	})
}
