package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestO10PostedWritesKeepTheirOrder(t *testing.T) {
	t.Run("of one goroutine, whatever it posts", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		var want []string
		for i := range 1000 {
			s := fmt.Sprint(i)
			want = append(want, s)
			switch i % 3 {
			case 0:
				require.NoError(t, ch.Channel().Send(&message{i}, nil))
			case 1:
				require.NoError(t, ch.Channel().Post(func() { require.NoError(t, ch.Pipeline().Write(&message{i})) }))
			default:
				require.NoError(t, ch.Loop().Post(func() { require.NoError(t, ch.Pipeline().Write(&message{i})) }))
			}
		}
		require.Equal(t, 1000, ch.PendingTasks())
		ch.RunPending()
		for m, _ := ch.ReadOutbound().(*message); m != nil; m, _ = ch.ReadOutbound().(*message) {
			rec.add(fmt.Sprint(m.n))
		}
		require.Equal(t, want, rec.take())
	})
	t.Run("of several goroutines, each its own", func(t *testing.T) {
		ch := newChannel(t)
		var writers sync.WaitGroup
		for g := range 4 {
			writers.Go(func() {
				for i := range 200 {
					if err := ch.Channel().Send(bytesOf(fmt.Sprintf("%d:%d ", g, i)), nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		ch.RunPending()
		next := [4]int{}
		for _, word := range strings.Fields(ch.WireString()) {
			var g, i int
			_, err := fmt.Sscanf(word, "%d:%d", &g, &i)
			require.NoError(t, err)
			require.Equal(t, next[g], i)
			next[g]++
		}
		require.Equal(t, [4]int{200, 200, 200, 200}, next)
	})
	t.Run("what was posted before a batch precedes that batch's writes", func(t *testing.T) {
		b := newBare(t, pipeline.Options{}, echo())
		for i := range 600 { // more than a round's budget
			require.NoError(t, b.Send(bytesOf(fmt.Sprintf("%d ", i)), nil))
		}
		b.wire.in = []byte("batch")
		b.ReadReady()
		require.Equal(t, 600, len(strings.Fields(string(b.wire.out)))-1)
		require.True(t, strings.HasSuffix(string(b.wire.out), "599 batch"))
	})
	t.Run("the batch of another channel does not wait for them all", func(t *testing.T) {
		b := newBare(t, pipeline.Options{})
		require.NoError(t, b.Post(func() {}))
		b.run() // what has run counts no more
		ran := 0
		for range 600 {
			require.NoError(t, b.Loop().Post(func() { ran++ }))
		}
		b.ReadReady()
		require.Equal(t, 256, ran, "the budget of a round")
		b.run()
		require.Equal(t, 600, ran)
	})
}

func TestO9WaitingOnTheLoopIsAnError(t *testing.T) {
	t.Run("instead of a deadlock", func(t *testing.T) {
		var err error
		ch := newChannel(t, handle(func(ctx *pipeline.Context, msg any) error {
			err = ctx.Channel().Write(context.Background(), msg)
			return nil
		}))
		require.NoError(t, ch.FeedString("x"))
		require.ErrorIs(t, err, pipeline.ErrOnLoop)
		require.Zero(t, ch.Loop().Pool().Live(), "the message was taken")
	})
	t.Run("elsewhere Write waits for the last byte", func(t *testing.T) {
		ch := newChannel(t)
		ch.AcceptBytes(3)
		done := make(chan error, 1)
		var writer sync.WaitGroup
		writer.Go(func() { done <- ch.Channel().Write(t.Context(), bytesOf("hello")) })
		require.NoError(t, ch.RunUntil(t.Context(), func() bool { return ch.Written() == 3 }))
		require.Empty(t, done)
		ch.Unblock()
		require.NoError(t, <-done)
		writer.Wait()
	})
	t.Run("or until its context ends, and the message is still sent", func(t *testing.T) {
		ch := newChannel(t)
		parent, cancel := context.WithCancel(t.Context())
		cancel()
		var writer sync.WaitGroup
		writer.Go(func() {
			if err := ch.Channel().Write(parent, bytesOf("hello")); err != nil && err != context.Canceled { //nolint:errorlint // exactly that
				t.Error(err)
			}
		})
		writer.Wait()
		ch.RunPending()
		require.Equal(t, "hello", ch.WireString())
	})
	t.Run("or until the channel closes", func(t *testing.T) {
		ch := newChannel(t)
		ch.Block()
		done := make(chan error, 1)
		var writer sync.WaitGroup
		writer.Go(func() { done <- ch.Channel().Write(t.Context(), bytesOf("hello")) })
		require.NoError(t, ch.RunUntil(t.Context(), func() bool { return ch.Channel().Pending() > 0 }))
		ch.Channel().CloseWith(pipeline.CloseNow, nil)
		ch.RunPending()
		require.ErrorIs(t, <-done, pipeline.ErrClosed)
		writer.Wait()
	})
}

func TestATaskThatPostsItselfLeavesRoomForOthers(t *testing.T) {
	b := newBare(t, pipeline.Options{}, echo())
	runs := 0
	var again func()
	again = func() {
		runs++
		require.NoError(t, b.Loop().Post(again))
	}
	require.NoError(t, b.Loop().Post(again))
	for range 5 {
		b.Loop().RunPending()
	}
	require.Equal(t, 5, runs, "once a round")
	b.wire.in = []byte("x")
	b.ReadReady()
	require.Equal(t, "x", string(b.wire.out))
	again = func() {}
}

func TestALongRoundEndsByTheClock(t *testing.T) {
	b := newBare(t, pipeline.Options{})
	ran := 0
	for range 100 {
		require.NoError(t, b.Loop().Post(func() {
			ran++
			b.now = b.now.Add(time.Millisecond)
		}))
	}
	b.Loop().RunPending()
	require.Equal(t, 16, ran, "the clock is looked at every sixteen tasks")
	require.EqualValues(t, 16, b.Loop().Stats().Tasks)
	require.Equal(t, 84, b.Loop().Pending())
	for b.Loop().Pending() > 0 {
		b.Loop().RunPending()
	}
}

func TestTasksWakeTheTransportOnce(t *testing.T) {
	wakes := 0
	loop := pipeline.NewLoop(pipeline.LoopConfig{Wake: func() { wakes++ }})
	loop.Bind()
	for range 3 {
		require.NoError(t, loop.Post(func() {}))
	}
	require.Equal(t, 1, wakes)
	loop.RunPending()
	require.NoError(t, loop.Post(func() { require.NoError(t, loop.Post(func() {})) }))
	require.Equal(t, 2, wakes)
	loop.RunPending()
	require.Equal(t, 3, wakes, "something is left")
	loop.RunPending()
	require.Equal(t, 3, wakes)
	loop.Close()
}

func TestATornChannelRunsNoTasks(t *testing.T) {
	ch := newChannel(t)
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	require.NoError(t, ch.Channel().Post(func() { t.Error("the channel is gone") }))
	rec := &record{}
	require.NoError(t, ch.Channel().Send(pooled(ch.Channel(), "x"), rec.note(ch.Channel(), "send")))
	ch.Channel().CloseWith(pipeline.CloseNow, rec.note(ch.Channel(), "close"))
	ch.RunPending()
	require.Equal(t, []string{"send closed", "close ok"}, rec.take())
	require.Zero(t, ch.Loop().Pool().Live())
}

func TestWhatIsPostedIsBoundedLikeWhatIsQueued(t *testing.T) {
	b := newBare(t, pipeline.Options{WriteHigh: 10, HardCap: 1000})
	require.NoError(t, b.Send(bytesOf(strings.Repeat("x", 600)), nil))
	late := pooled(b.Channel, strings.Repeat("x", 401))
	require.ErrorIs(t, b.Send(late, nil), pipeline.ErrOutboundFull)
	require.NoError(t, b.Send(bytesOf(strings.Repeat("x", 400)), nil))
	b.run()
	require.NoError(t, b.Send(bytesOf(strings.Repeat("x", 1000)), nil), "room again")
	b.run()
	require.Len(t, b.wire.out, 2000)
}

func TestASendThatIsRefusedOnTheLoop(t *testing.T) {
	t.Run("fails its promise", func(t *testing.T) {
		rec := &record{}
		b := newBare(t, pipeline.Options{})
		require.NoError(t, b.Send(&message{}, rec.note(b.Channel, "send")))
		b.run()
		require.Len(t, rec.take(), 1)
		require.True(t, b.IsOpen())
	})
	t.Run("without one it is an error of the channel", func(t *testing.T) {
		c := &catcher{}
		b := newBare(t, pipeline.Options{}, c)
		require.NoError(t, b.Send(&message{}, nil))
		b.run()
		require.Len(t, c.errs, 1)
		require.ErrorIs(t, c.errs[0], pipeline.ErrNoEncoder)
	})
	t.Run("unless the channel is closing anyway", func(t *testing.T) {
		c := &catcher{}
		b := newBare(t, pipeline.Options{}, c)
		b.Pipeline().Close(pipeline.CloseDrain, nil)
		require.NoError(t, b.Send(&message{}, nil))
		b.run()
		require.Empty(t, c.errs)
	})
}
