package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestWritableSocketIsToldOnlyToWhoWaitsForIt(t *testing.T) {
	ch := open(t, embedded.Config{Options: pipeline.Options{ManualFlush: true}})
	ch.Block()
	require.NoError(t, ch.Pipeline().Write(buffer.FromString("x")))
	ch.Unblock()
	require.Zero(t, ch.Writevs(), "nothing was flushed")
	ch.Pipeline().Flush()
	require.Equal(t, 1, ch.Writevs())
}

func TestOneReadIsNotOneFeed(t *testing.T) {
	for name, c := range map[string]struct {
		short int
		reads []int
	}{
		"whole":    {0, []int{1000}},
		"in bits":  {300, []int{300, 300, 300, 100}},
		"too wide": {5000, []int{1000}},
	} {
		t.Run(name, func(t *testing.T) {
			var reads []int
			ch := open(t, embedded.Config{}, pipeline.OnLend(func(_ *pipeline.Context, b *buffer.Buffer) error {
				reads = append(reads, b.Len())
				return nil
			}))
			ch.ShortReads(c.short)
			require.NoError(t, ch.Feed(make([]byte, 1000)))
			require.Equal(t, c.reads, reads)
		})
	}
}

func TestEachReadOfAShortReadIsABatchOfItsOwn(t *testing.T) {
	e := &events{}
	ch := open(t, embedded.Config{}, e, pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error { return nil }))
	e.take()
	ch.ShortReads(2)
	require.NoError(t, ch.FeedString("abcd"))
	require.Equal(t, []string{"read complete", "read complete"}, e.take())
}

func TestUnreadBytesAreKeptInOrderWhileMoreCome(t *testing.T) {
	ch := open(t, embedded.Config{}, &switchable{}, echo())
	_, ctx := pipeline.Find[*switchable](ch.Pipeline())
	ctx.SetAutoRead(false)
	ch.RunPending()
	ch.ShortReads(3)
	want := ""
	for _, s := range []string{"abcdefgh", "ijkl", "mnopqrstuv", "w"} {
		require.NoError(t, ch.FeedString(s))
		want += s
		ch.Pipeline().Read()
		ch.RunPending()
	}
	require.Equal(t, want[:12], ch.WireString())
	require.Equal(t, len(want)-12, ch.Unread())
	ctx.SetAutoRead(true)
	ch.RunPending()
	require.Equal(t, want[12:], ch.WireString())
}

func TestDrainingChannelDropsWhatStillComes(t *testing.T) {
	ch := open(t, embedded.Config{}, echo())
	ch.Block()
	require.NoError(t, ch.FeedString("before"))
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	require.False(t, ch.FINSent(), "the reply is not sent yet")
	require.NoError(t, ch.FeedString("after"))
	require.Zero(t, ch.Unread())
	ch.Unblock()
	require.Equal(t, "before", ch.WireString())
	require.True(t, ch.FINSent())
	require.True(t, ch.Channel().Closed())
}
