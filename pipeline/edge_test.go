package pipeline_test

import (
	"errors"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// ping counts its references; pong is another type that does.
type (
	ping struct{ counted }
	pong struct{ counted }
)

func TestI1WhoeverReceivesAMessageOwnsOneReference(t *testing.T) {
	bad := errors.New("bad")
	t.Run("core-16 OnLend releases after the function, also when it fails", func(t *testing.T) {
		for _, result := range []error{nil, bad} {
			during := 0
			lend := pipeline.OnLend(func(_ *pipeline.Context, p *ping) error {
				during = p.refs
				return result
			})
			rec := &record{}
			ch := newChannel(t, lend, &reader{name: "next", rec: rec}, &catcher{})
			rec.take()
			other, mine := &pong{counted{1}}, &ping{counted{1}}
			require.NoError(t, ch.WriteInbound(other, mine))
			require.Equal(t, []string{"next"}, rec.take(), "the pong only")
			require.Same(t, other, ch.ReadInbound())
			require.Equal(t, 1, other.refs)
			require.Equal(t, 1, during)
			require.Zero(t, mine.refs)
		}
	})
	t.Run("OnLend releases also when the function panics", func(t *testing.T) {
		ch := newChannel(t, pipeline.OnLend(func(*pipeline.Context, *ping) error { panic("oops") }))
		mine := &ping{counted{1}}
		require.Error(t, ch.WriteInbound(mine))
		require.Zero(t, mine.refs)
	})
	t.Run("core-16 OnRead gives the function the message, which may write it", func(t *testing.T) {
		var err error
		read := pipeline.OnRead(func(ctx *pipeline.Context, p *ping) error { return errors.Join(err, ctx.Write(p)) })
		c := &catcher{}
		ch := newChannel(t, read, c)
		other, mine := &pong{counted{1}}, &ping{counted{1}}
		require.NoError(t, ch.WriteInbound(other, mine))
		require.Same(t, other, ch.ReadInbound())
		require.Same(t, mine, ch.ReadOutbound())
		require.Equal(t, 1, other.refs)
		require.Equal(t, 1, mine.refs, "nobody released it")
		err = bad
		require.NoError(t, ch.WriteInbound(&ping{counted{1}}))
		require.ErrorIs(t, c.errs[0], bad)
		require.NotNil(t, ch.ReadOutbound())
	})
}

func TestOnWriteTakesItsTypeAndPassesOthers(t *testing.T) {
	rec := &record{}
	edge := pipeline.OnWrite(func(ctx *pipeline.Context, _ *ping, p *pipeline.Promise) error {
		return ctx.Forward(pooled(ctx.Channel(), "ping"), p)
	})
	ch := newChannel(t, edge)
	other := &pong{}
	ch.Pipeline().WriteWith(&ping{}, rec.note(ch.Channel(), "ping"))
	ch.Pipeline().WriteWith(other, rec.note(ch.Channel(), "pong"))
	ch.RunPending()
	require.Equal(t, "ping", ch.WireString())
	require.Same(t, other, ch.ReadOutbound())
	require.Equal(t, []string{"pong ok", "ping ok"}, rec.take(), "bytes when they are sent")
}

type board struct{}

func (*board) quote(*pipeline.Context, *ping) error { return nil }

func TestEdgesAreNamedAfterTheirFunctions(t *testing.T) {
	literal := func(*pipeline.Context, *ping) error { return nil }
	ch := newChannel(t, pipeline.OnRead((&board{}).quote), pipeline.OnLend(literal),
		pipeline.OnWrite(func(*pipeline.Context, *pong, *pipeline.Promise) error { return nil }))
	require.Equal(t, "bytes → pipeline_test.(*board).quote → pipeline_test.TestEdgesAreNamedAfterTheirFunctions.func1"+
		" → pipeline_test.TestEdgesAreNamedAfterTheirFunctions.func2", ch.Pipeline().String())
}
