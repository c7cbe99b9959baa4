package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// members makes n channels in one group.
func members(t *testing.T, g *pipeline.Group, n int, handlers ...pipeline.Handler) []*embedded.Channel {
	t.Helper()
	var all []*embedded.Channel
	for range n {
		ch := newChannel(t, handlers...)
		g.Add(ch.Channel())
		ch.RunPending()
		all = append(all, ch)
	}
	return all
}

func TestGroupKeepsWhatIsOpen(t *testing.T) {
	g := &pipeline.Group{}
	require.Zero(t, g.Len())
	require.NoError(t, g.Wait(t.Context()), "an empty group is complete")
	all := members(t, g, 3)
	g.Add(all[0].Channel()) // twice is once
	all[0].RunPending()
	require.Equal(t, 3, g.Len())
	require.ElementsMatch(t, []*pipeline.Channel{all[0].Channel(), all[1].Channel(), all[2].Channel()}, g.Channels())
	require.NoError(t, all[0].Channel().Close())
	all[0].RunPending()
	require.ElementsMatch(t, []*pipeline.Channel{all[1].Channel(), all[2].Channel()}, g.Channels())
	g.Add(all[0].Channel())
	all[0].RunPending()
	require.Equal(t, 2, g.Len(), "one that has closed does not stay")
}

func TestGroupFromTheStart(t *testing.T) {
	g := &pipeline.Group{}
	loop := pipeline.NewLoop(pipeline.LoopConfig{})
	loop.Bind()
	ch := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: &wire{room: -1}, Group: g})
	require.Zero(t, g.Len(), "nobody may send to a channel without handlers")
	ch.Open(func(*pipeline.Channel) error {
		require.Equal(t, 1, g.Len())
		return errors.New("bad set-up")
	})
	require.Zero(t, g.Len())
	loop.Close()
}

func TestBroadcastSendsTheSameBytesToAll(t *testing.T) {
	g := &pipeline.Group{}
	all := members(t, g, 3)
	b := bytesOf("to all")
	b.Retain()
	require.Zero(t, g.Broadcast(b))
	for _, ch := range all {
		ch.RunPending()
		require.Equal(t, "to all", ch.WireString())
	}
	require.True(t, b.Unique())
	b.Release()

	rope := buffer.NewComposite()
	rope.Append(bytesOf("part one, "))
	rope.Append(bytesOf("part two"))
	require.Zero(t, g.Broadcast(rope))
	for _, ch := range all {
		ch.RunPending()
		require.Equal(t, "part one, part two", ch.WireString())
	}
}

func TestBroadcastCountsWhoRefuses(t *testing.T) {
	g := &pipeline.Group{}
	ch := newChannelWith(t, embedded.Config{Options: pipeline.Options{WriteHigh: 10, HardCap: 10}})
	g.Add(ch.Channel())
	members(t, g, 1)
	m := bytesOf(strings.Repeat("x", 11))
	m.Retain()
	require.Equal(t, 1, g.Broadcast(m))
	require.False(t, m.Unique(), "one channel has it still")
	for _, c := range g.Channels() {
		require.NoError(t, c.Close())
	}
	ch.RunPending()
	m.Release()
}

func TestGroupEventsAndCloses(t *testing.T) {
	g, rec := &pipeline.Group{}, &record{}
	all := members(t, g, 2, &listens{"A", rec, true})
	g.FireEvent(pipeline.ShutdownEvent{})
	for _, ch := range all {
		ch.RunPending()
		require.Equal(t, []string{"A {}"}, rec.take())
		require.Equal(t, []any{pipeline.ShutdownEvent{}}, ch.Events())
	}
	g.CloseAll(pipeline.CloseReset)
	for _, ch := range all {
		ch.RunPending()
		require.True(t, ch.ResetSent())
	}
	require.Zero(t, g.Len())
}

func TestGroupWait(t *testing.T) {
	g := &pipeline.Group{}
	all := members(t, g, 2)
	done := make(chan error, 3)
	var waiting sync.WaitGroup
	for range cap(done) {
		waiting.Go(func() { done <- g.Wait(t.Context()) })
	}
	reason := errors.New("enough")
	parent, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	require.Same(t, reason, g.Wait(parent))
	g.CloseAll(pipeline.CloseNow)
	all[0].RunPending()
	require.Empty(t, done)
	all[1].RunPending()
	waiting.Wait()
	for range cap(done) {
		require.NoError(t, <-done)
	}
	require.Equal(t, "[]", fmt.Sprint(g.Channels()))
}
