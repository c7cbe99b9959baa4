package pipeline_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestPromiseCompletesOnce(t *testing.T) {
	twice := map[string]func(p *pipeline.Promise){
		"succeeds twice":      func(p *pipeline.Promise) { p.Succeed(); p.Succeed() },
		"fails after success": func(p *pipeline.Promise) { p.Succeed(); p.Fail(errors.New("bad")) },
		"succeeds after fail": func(p *pipeline.Promise) { p.Fail(errors.New("bad")); p.Succeed() },
	}
	for name, do := range twice {
		t.Run(name, func(t *testing.T) {
			ch := newChannel(t)
			require.PanicsWithValue(t, "pipeline: Promise.Succeed or Fail after completion", func() { do(ch.Channel().NewPromise()) })
		})
	}
	t.Run("inside its own listener", func(t *testing.T) {
		ch := newChannel(t)
		p := ch.Channel().NewPromise()
		p.OnDone(func(error) {
			require.False(t, p.Pending())
			require.Panics(t, p.Succeed)
			require.PanicsWithValue(t, "pipeline: Promise.OnDone after completion", func() { p.OnDone(func(error) {}) })
			require.False(t, p.Cancel())
		})
		require.True(t, p.Pending())
		ch.RunPending()
		ch.Channel().Inject(func(*pipeline.Pipeline) { p.Succeed() })
	})
	t.Run("one promise for two writes", func(t *testing.T) {
		ch := newChannelWith(t, manual())
		p := ch.Channel().NewPromise()
		ch.Pipeline().WriteWith(bytesOf("a"), p)
		b := pooled(ch.Channel(), "b")
		require.PanicsWithValue(t, "pipeline: promise written twice", func() { ch.Pipeline().WriteWith(b, p) })
		b.Release()
	})
}

func TestPromiseListenersRunInOrder(t *testing.T) {
	ch := newChannel(t)
	var got []string
	p := ch.Channel().NewPromise()
	for i := range 4 {
		p.OnDone(func(err error) { got = append(got, strconv.Itoa(i)+" "+ending(err)) })
	}
	p.Fail(pipeline.ErrCancelled)
	require.Equal(t, []string{"0 cancelled", "1 cancelled", "2 cancelled", "3 cancelled"}, got)
}

func TestNoPromiseIsFine(t *testing.T) {
	ch := newChannel(t)
	ch.Pipeline().WriteWith(bytesOf("a"), nil)
	require.NoError(t, ch.Channel().Send(bytesOf("b"), nil))
	ch.RunPending()
	require.Equal(t, "ab", ch.WireString())
	ch.Pipeline().Close(pipeline.CloseWrite, nil)
	ch.Pipeline().Close(pipeline.CloseDrain, nil)
	ch.RunPending()
	ch.Pipeline().WriteWith(bytesOf("c"), nil)
	require.True(t, ch.Channel().Closed())
}

func TestCancelOfCoalescedNeighbours(t *testing.T) {
	rec := &record{}
	ch := newChannelWith(t, manual())
	var promises []*pipeline.Promise
	for _, s := range []string{"a", "b", "c", "d"} {
		p := rec.note(ch.Channel(), s)
		promises = append(promises, p)
		ch.Pipeline().WriteWith(pooled(ch.Channel(), s+s), p)
	}
	require.True(t, promises[0].Cancel())
	require.True(t, promises[2].Cancel())
	ch.Pipeline().Flush()
	require.Equal(t, "bbdd", ch.WireString())
	require.Equal(t, []string{"a cancelled", "c cancelled", "b ok", "d ok"}, rec.take())
}

func TestCancelledPromisesFailAsCancelledWhenTheChannelCloses(t *testing.T) {
	rec := &record{}
	ch := newChannelWith(t, manual())
	p := rec.note(ch.Channel(), "a")
	ch.Pipeline().WriteWith(pooled(ch.Channel(), "x"), p)
	send(ch, rec, "b")
	require.True(t, p.Cancel())
	ch.Pipeline().Close(pipeline.CloseNow, nil)
	require.Equal(t, []string{"a cancelled", "b closed"}, rec.take())
}

func TestCancelSinksBelowTheLowMark(t *testing.T) {
	rec, cfg := &record{}, narrow()
	cfg.Options.ManualFlush = true
	ch := newChannelWith(t, cfg, &watches{rec: rec})
	p := ch.Channel().NewPromise()
	ch.Pipeline().WriteWith(pooled(ch.Channel(), "eleven byte"), p)
	require.True(t, p.Cancel())
	ch.Pipeline().Flush()
	require.Zero(t, ch.Channel().Pending())
	ch.RunPending()
	require.Equal(t, []string{"writable false", "writable true"}, rec.take())
}

func TestAPromiseOfAnotherChannel(t *testing.T) {
	t.Run("completes with the write and may be cancelled", func(t *testing.T) {
		rec := &record{}
		owner, ch := newChannel(t), newChannelWith(t, manual())
		p := rec.note(owner.Channel(), "p")
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "never"), p)
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "sent"), rec.note(owner.Channel(), "q"))
		require.True(t, p.Cancel())
		ch.Pipeline().Flush()
		require.Equal(t, "sent", ch.WireString())
		require.Equal(t, []string{"p cancelled", "q ok"}, rec.take())
	})
	t.Run("a listener that panics closes the channel it belongs to", func(t *testing.T) {
		owner := newBare(t, pipeline.Options{})
		ch := newBare(t, pipeline.Options{})
		p := owner.NewPromise()
		p.OnDone(func(error) { panic("oops") })
		ch.Pipeline().WriteWith(pooled(ch.Channel, "x"), p)
		ch.run()
		owner.run()
		require.True(t, owner.Closed())
		require.False(t, ch.Closed())
		require.Equal(t, "x", string(ch.wire.out))
	})
}

func TestListenersMayDoAnything(t *testing.T) {
	t.Run("write", func(t *testing.T) {
		ch := newChannel(t)
		n := 0
		var next func(error)
		next = func(error) {
			if n++; n < 10 {
				p := ch.Channel().NewPromise()
				p.OnDone(next)
				ch.Pipeline().WriteWith(pooled(ch.Channel(), strconv.Itoa(n)), p)
			}
		}
		next(nil)
		ch.RunPending()
		require.Equal(t, "123456789", ch.WireString())
	})
	t.Run("close", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		ch.Block()
		p := rec.note(ch.Channel(), "a")
		p.OnDone(func(error) { ch.Pipeline().Close(pipeline.CloseNow, rec.note(ch.Channel(), "close")) })
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "a"), p)
		send(ch, rec, "b")
		ch.AcceptBytes(1)
		require.Equal(t, []string{"a ok", "b closed", "close ok"}, rec.take())
	})
	t.Run("panic, and the others still hear", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		p := rec.note(ch.Channel(), "a")
		p.OnDone(func(error) { panic("oops") })
		p.OnDone(func(err error) { rec.add("behind " + ending(err)) })
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "a"), p)
		ch.Block()
		send(ch, rec, "b")
		ch.AcceptBytes(1)
		require.Equal(t, []string{"a ok", "behind ok", "b closed"}, rec.take())
		var caught *pipeline.PanicError
		require.ErrorAs(t, ch.CheckErr(), &caught)
		require.Equal(t, "oops", caught.Value)
		require.Equal(t, "pipeline_test.TestListenersMayDoAnything.func3.1", caught.Handler)
		require.True(t, ch.Channel().Closed())
	})
}
