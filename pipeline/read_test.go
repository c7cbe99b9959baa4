package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// sizes records how many bytes each read brought, and the ends of batches.
type sizes struct{ record }

func (s *sizes) HandleRead(ctx *pipeline.Context, msg any) error {
	s.add(fmt.Sprint(msg.(*buffer.Buffer).Len()))
	ctx.Release(msg)
	return nil
}

func (s *sizes) HandleReadComplete(*pipeline.Context) error {
	s.add("complete")
	return nil
}

func TestI3ReadCompleteFollowsEachBatch(t *testing.T) {
	t.Run("not each read, and a batch has at most MaxReads", func(t *testing.T) {
		s := &sizes{}
		ch := newChannelWith(t, embedded.Config{Options: pipeline.Options{MaxReads: 3}}, s)
		require.NoError(t, ch.FeedString(strings.Repeat("x", 100_000)))
		require.Equal(t, []string{"2048", "8192", "32768", "complete", "56992", "complete"}, s.take())
	})
	t.Run("sixteen reads by default", func(t *testing.T) {
		s := &sizes{}
		ch := newChannel(t, s)
		require.NoError(t, ch.FeedString(strings.Repeat("x", 5<<20)))
		require.Equal(t, "complete", s.events[pipeline.DefaultMaxReads])
		require.Equal(t, 2, strings.Count(strings.Join(s.take(), " "), "complete"))
	})
	t.Run("also when no message came of it", func(t *testing.T) {
		rec := &record{}
		swallow := pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error { return nil })
		ch := newChannel(t, swallow, &life{"A", rec})
		rec.take()
		require.NoError(t, ch.FeedString("half a message"))
		require.Equal(t, []string{"complete A"}, rec.take())
	})
	t.Run("not when nothing was read", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, &life{"A", rec})
		rec.take()
		ch.Channel().ReadReady() // a poller's false alarm
		require.Empty(t, rec.take())
	})
}

// splitter makes one message of each byte.
type splitter struct{}

func (splitter) HandleRead(ctx *pipeline.Context, msg any) error {
	b := msg.(*buffer.Buffer)
	for b.Len() > 0 {
		ctx.FireRead(&message{int(b.Next(1)[0])})
	}
	ctx.Release(b)
	return nil
}

func TestI4AutoReadOff(t *testing.T) {
	t.Run("what was decoded already is delivered, the socket is left alone", func(t *testing.T) {
		rec := &record{}
		off := &reader{name: "got", rec: rec, do: func(ctx *pipeline.Context, _ any) error {
			ctx.SetAutoRead(false)
			return nil
		}}
		ch := newChannel(t, splitter{}, off)
		rec.take()
		require.NoError(t, ch.FeedString("abc"))
		require.Equal(t, []string{"got", "got", "got"}, rec.take())
		require.False(t, ch.Channel().AutoRead())
		require.False(t, ch.Channel().Reading())
		require.NoError(t, ch.FeedString("def"))
		require.Empty(t, rec.take())
		require.Equal(t, 3, ch.Unread())
	})
	t.Run("the running batch reads no further", func(t *testing.T) {
		s := &sizes{}
		off := &reader{rec: &record{}, do: func(ctx *pipeline.Context, msg any) error {
			ctx.SetAutoRead(false)
			ctx.FireRead(msg)
			return nil
		}}
		ch := newChannel(t, off, s)
		require.NoError(t, ch.FeedString(strings.Repeat("x", 10_000)))
		require.Equal(t, []string{"2048", "complete"}, s.take())
	})
	t.Run("a request reads one batch", func(t *testing.T) {
		s, at := &sizes{}, &spy{}
		ch := newChannel(t, s, at)
		at.ctx.SetAutoRead(false)
		ch.RunPending()
		require.NoError(t, ch.FeedString("one"))
		require.Empty(t, s.take())
		at.ctx.Read()
		require.True(t, ch.Channel().Reading())
		ch.RunPending()
		require.Equal(t, []string{"3", "complete"}, s.take())
		require.NoError(t, ch.FeedString("two"))
		require.Empty(t, s.take())
	})
	t.Run("a request outlives a look at an empty socket", func(t *testing.T) {
		s, at := &sizes{}, &spy{}
		ch := newChannel(t, s, at)
		at.ctx.SetAutoRead(false)
		at.ctx.Read()
		at.ctx.Read() // two requests before anything came are one
		ch.RunPending()
		ch.Channel().ReadReady()
		require.NoError(t, ch.FeedString("late"))
		require.Equal(t, []string{"4", "complete"}, s.take())
		require.NoError(t, ch.FeedString("more"))
		require.Empty(t, s.take())
	})
	t.Run("a request inside the batch is for the next one", func(t *testing.T) {
		s := &sizes{}
		again := &reader{rec: &record{}, do: func(ctx *pipeline.Context, msg any) error {
			ctx.Read()
			ctx.FireRead(msg)
			return nil
		}}
		ch := newChannel(t, again, s)
		ch.Pipeline().ContextOf(again).SetAutoRead(false)
		ch.Pipeline().Read()
		for _, text := range []string{"a", "bc", "def"} {
			require.NoError(t, ch.FeedString(text))
		}
		require.Equal(t, []string{"1", "complete", "2", "complete", "3", "complete"}, s.take())
	})
	t.Run("switched on again it reads, and who holds messages back is asked", func(t *testing.T) {
		s, at, asked := &sizes{}, &spy{}, &asks{}
		ch := newChannel(t, asked, s, at)
		at.ctx.SetAutoRead(false)
		ch.RunPending()
		require.NoError(t, ch.FeedString("held"))
		at.ctx.SetAutoRead(true)
		at.ctx.SetAutoRead(true)
		ch.RunPending()
		require.Equal(t, []string{"4", "complete"}, s.take())
		require.Equal(t, 1, asked.n)
	})
}

// asks counts read requests and passes them on.
type asks struct{ n int }

func (a *asks) HandleReadRequest(ctx *pipeline.Context) error {
	a.n++
	ctx.Read()
	return nil
}

func TestI7EventsTravelLikeMessages(t *testing.T) {
	t.Run("from the firing place to the tail", func(t *testing.T) {
		rec, at := &record{}, &spy{}
		ch := newChannel(t, &listens{"A", rec, true}, at, &listens{"B", rec, true}, &reader{name: "R", rec: &record{}}, &listens{"C", rec, true})
		at.ctx.FireEvent("idle")
		require.Equal(t, []string{"B idle", "C idle"}, rec.take())
		require.Equal(t, []any{"idle"}, ch.Events())
	})
	t.Run("a handler that takes one ends its way", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, &listens{"A", rec, false}, &listens{"B", rec, true})
		ch.Pipeline().FireEvent("shutdown")
		require.Equal(t, []string{"A shutdown"}, rec.take())
		require.Empty(t, ch.Events())
	})
	t.Run("the tail releases what nobody took", func(t *testing.T) {
		b := newBare(t, pipeline.Options{})
		event := &counted{refs: 1}
		b.Pipeline().FireEvent(event)
		require.Zero(t, event.refs)
	})
}

// listens records events and passes them on or not.
type listens struct {
	name   string
	rec    *record
	passes bool
}

func (l *listens) HandleEvent(ctx *pipeline.Context, event any) error {
	l.rec.add(fmt.Sprintf("%s %v", l.name, event))
	if l.passes {
		ctx.FireEvent(event)
	}
	return nil
}

func TestReadBufferFollowsTheTraffic(t *testing.T) {
	s := &sizes{}
	ch := newChannel(t, s)
	require.NoError(t, ch.FeedString(strings.Repeat("x", 2048+8192)))
	require.Equal(t, []string{"2048", "8192", "complete"}, s.take(), "grows at once")
	for range 200 {
		require.NoError(t, ch.FeedString("x"))
	}
	s.take()
	require.NoError(t, ch.FeedString(strings.Repeat("x", 1024)))
	require.Equal(t, []string{"512", "512", "complete"}, s.take()[:3], "shrinks with small reads")
}

func TestInjectedMessagesCountAsWanted(t *testing.T) {
	at, wanted := &spy{}, []bool(nil)
	ask := handle(func(ctx *pipeline.Context, _ any) error {
		wanted = append(wanted, ctx.Channel().Reading())
		return nil
	})
	ch := newChannel(t, at, ask)
	at.ctx.SetAutoRead(false)
	ch.RunPending()
	ch.Channel().Inject(func(p *pipeline.Pipeline) { p.FireRead(&message{}) })
	ch.Pipeline().FireRead(&message{})
	require.Equal(t, []bool{true, false}, wanted)
}

func TestReadErrorsCloseTheChannelAndAreHeard(t *testing.T) {
	c := &catcher{}
	ch := newChannel(t, c)
	ch.FailRead(fmt.Errorf("cable cut"))
	require.NoError(t, ch.CheckErr())
	require.Len(t, c.errs, 1)
	require.EqualError(t, c.errs[0], "cable cut")
	require.True(t, ch.Channel().Closed())
	require.Same(t, c.errs[0], ch.Channel().Cause())
}
