package handlers_test

import (
	"errors"
	"testing"
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/stretchr/testify/require"
)

// drop takes every message.
type drop struct{}

func (drop) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.Release(msg)
	return nil
}

func TestCore53IdleFiresEachKindAtItsTimes(t *testing.T) {
	ev := &events{}
	ch := pipelinetest.New(t, &handlers.Idle{Read: 10 * time.Second, Write: 5 * time.Second, All: 20 * time.Second}, ev, drop{})
	ch.AdvanceTime(21 * time.Second)
	read, write, all := handlers.IdleRead, handlers.IdleWrite, handlers.IdleAll
	at := map[handlers.IdleKind][]int{}
	first := map[handlers.IdleKind]int{}
	for i, e := range ev.got {
		idle, ok := e.(handlers.IdleEvent)
		require.True(t, ok)
		at[idle.Kind] = append(at[idle.Kind], ev.at[i])
		if idle.First {
			first[idle.Kind]++
		}
	}
	require.Equal(t, map[handlers.IdleKind][]int{write: {5, 10, 15, 20}, read: {10, 20}, all: {20}}, at)
	require.Equal(t, map[handlers.IdleKind]int{write: 1, read: 1, all: 1}, first)

	ch.AdvanceTime(4 * time.Second) // now 25 s: a write event came at 25
	ch.Feed("x")
	ev.got, ev.at = nil, nil
	ch.AdvanceTime(20 * time.Second) // to 45 s
	at = map[handlers.IdleKind][]int{}
	first = map[handlers.IdleKind]int{}
	for i, e := range ev.got {
		idle, ok := e.(handlers.IdleEvent)
		require.True(t, ok)
		at[idle.Kind] = append(at[idle.Kind], ev.at[i])
		if idle.First {
			first[idle.Kind]++
		}
	}
	require.Equal(t, []int{35, 45}, at[read], "from the read")
	require.Equal(t, []int{45}, at[all])
	require.Equal(t, map[handlers.IdleKind]int{read: 1, all: 1}, first)
}

func TestIdleCountsAWriteWhenItHasCompleted(t *testing.T) {
	for name, c := range map[string]struct {
		progress bool
		want     []int
	}{
		"completed":                        {false, []int{5, 10, 18}},
		"progress of pending bytes counts": {true, []int{10, 18}},
	} {
		t.Run(name, func(t *testing.T) {
			ev := &events{}
			ch := pipelinetest.New(t, &handlers.Idle{Write: 5 * time.Second, Progress: c.progress}, ev)
			ch.Socket.Block()
			ch.WriteOutbound(buffer.FromString("ten bytes."))
			ch.AdvanceTime(2 * time.Second)
			ch.Socket.AcceptBytes(4)
			ch.AdvanceTime(11 * time.Second) // to 13 s
			ch.Socket.Unblock()
			ch.AdvanceTime(6 * time.Second) // to 19 s
			require.Equal(t, c.want, ev.at)
			require.Equal(t, "ten bytes.", ch.Wire())
		})
	}
}

func TestIdleIsSilentDuringARead(t *testing.T) {
	ev := &events{}
	ch := pipelinetest.New(t, &handlers.Idle{Read: 5 * time.Second}, ev, drop{})
	ch.Pipeline().FireRead(new(int)) // a batch begins
	ch.AdvanceTime(20 * time.Second)
	require.Empty(t, ev.got)
	ch.Pipeline().FireReadComplete()
	ch.AdvanceTime(5 * time.Second)
	require.Len(t, ev.got, 1)
}

func TestIdleZeroValueMeansSixtySecondsOfNothing(t *testing.T) {
	ev := &events{}
	ch := pipelinetest.New(t, &handlers.Idle{}, ev)
	ch.AdvanceTime(59 * time.Second)
	require.Empty(t, ev.got)
	ch.AdvanceTime(time.Second)
	require.Equal(t, []any{handlers.IdleEvent{Kind: handlers.IdleAll, First: true}}, ev.got)
}

func TestIdleStopsWithItsHandlerAndItsChannel(t *testing.T) {
	t.Run("removed", func(t *testing.T) {
		ch := pipelinetest.New(t, pipeline.Named("idle", &handlers.Idle{}))
		require.Equal(t, 1, ch.PendingTimers())
		require.NoError(t, ch.Pipeline().Remove("idle"))
		require.Zero(t, ch.PendingTimers())
	})
	t.Run("added to an active channel, then closed", func(t *testing.T) {
		ch := pipelinetest.New(t)
		require.NoError(t, ch.Pipeline().AddLast(&handlers.Idle{}))
		require.Equal(t, 1, ch.PendingTimers())
		ch.Socket.PeerReset()
		require.Zero(t, ch.PendingTimers())
	})
}

func TestIdleWatchesWhatItIsToldTo(t *testing.T) {
	second := time.Second
	for name, c := range map[string]struct {
		idle *handlers.Idle
		want []int // at which seconds of the first twelve, when a byte comes and goes in the third
	}{
		"reads":         {&handlers.Idle{Read: 4 * second}, []int{7, 11}},
		"writes":        {&handlers.Idle{Write: 4 * second}, []int{7, 11}},
		"either":        {&handlers.Idle{All: 5 * second}, []int{8}},
		"two of them":   {&handlers.Idle{Read: 4 * second, All: 5 * second}, []int{7, 8, 11}},
		"with progress": {&handlers.Idle{Write: 4 * second, Progress: true}, []int{7, 11}},
	} {
		t.Run(name, func(t *testing.T) {
			ev := &events{}
			ch := pipelinetest.New(t, c.idle, ev, shout(""))
			ch.AdvanceTime(3 * second)
			ch.Feed("x")
			require.Equal(t, "x", ch.Wire())
			ch.AdvanceTime(9 * second)
			require.Equal(t, c.want, ev.at)
		})
	}
}

func TestIdleDoesNotCountWhatWasSentBeforeIt(t *testing.T) {
	ev := &events{}
	ch := pipelinetest.New(t, ev)
	ch.WriteOutbound(buffer.FromString("x"))
	require.NoError(t, ch.Pipeline().AddFirst(&handlers.Idle{Write: 5 * time.Second, Progress: true}))
	ch.AdvanceTime(6 * time.Second)
	require.Equal(t, []int{5}, ev.at)
	require.Equal(t, "x", ch.Wire())
}

func TestIdleDoesNotCountARefusedWrite(t *testing.T) {
	ev := &events{}
	bad := errors.New("bad")
	refuses := pipeline.OnWrite(func(ctx *pipeline.Context, b *buffer.Buffer, _ *pipeline.Promise) error {
		ctx.Release(b)
		return bad
	})
	ch := pipelinetest.New(t, refuses, &handlers.Idle{Write: 5 * time.Second}, ev)
	ch.AdvanceTime(3 * time.Second)
	require.Same(t, bad, ch.Pipeline().Write(buffer.FromString("x")))
	p, outcome := ch.Watch()
	ch.Pipeline().WriteWith(buffer.FromString("y"), p)
	require.Same(t, bad, outcome.Err)
	ch.AdvanceTime(3 * time.Second)
	require.Equal(t, []int{5}, ev.at)
}

func TestIdleLeavesPromisesOfOthersAlone(t *testing.T) {
	ch := pipelinetest.New(t, &handlers.Idle{Write: time.Second}, &events{})
	p, outcome := ch.Watch()
	ch.Pipeline().WriteWith(buffer.FromString("x"), p)
	ch.RunPending()
	ch.Pipeline().Flush()
	require.True(t, outcome.Done)
	require.NoError(t, outcome.Err)
	require.Equal(t, "x", ch.Wire())
}
