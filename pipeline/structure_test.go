package pipeline_test

import (
	"errors"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// Rules L1–L10 of the pipeline's structure and life, each with its scenarios.

func TestL1InboundRunsHeadToTailAndOutboundBack(t *testing.T) {
	t.Run("core-01 inbound in the order of adding, then the tail", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, &reader{name: "A", rec: rec}, &reader{name: "B", rec: rec}, &reader{name: "C", rec: rec})
		rec.take()
		m := &message{}
		require.NoError(t, ch.WriteInbound(m))
		require.Equal(t, []string{"A", "B", "C"}, rec.take())
		require.Same(t, m, ch.ReadInbound())
	})
	t.Run("core-02 a context writes from its own place, the channel from the tail", func(t *testing.T) {
		rec := &record{}
		x := &reader{name: "X", rec: rec, do: func(ctx *pipeline.Context, msg any) error { return ctx.Write(msg) }}
		ch := newChannel(t, &writer{"A", rec}, &writer{"B", rec}, x, &writer{"C", rec})
		rec.take()
		require.NoError(t, ch.WriteInbound(&message{1}))
		require.Equal(t, []string{"X", "B", "A"}, rec.take())
		require.NoError(t, ch.Channel().Send(&message{2}, nil))
		ch.RunPending()
		require.Equal(t, []string{"C", "B", "A"}, rec.take())
	})
}

func TestL2NamesAreUniqueAndHandlersAreFound(t *testing.T) {
	t.Run("core-03 a duplicate name changes nothing", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, pipeline.Named("dec", &reader{name: "first", rec: rec}))
		rec.take()
		before := ch.Pipeline().Names()
		err := ch.Pipeline().AddLast(pipeline.Named("dec", &reader{name: "second", rec: rec}))
		require.ErrorIs(t, err, pipeline.ErrDuplicateName)
		require.ErrorContains(t, err, `"dec"`)
		require.ErrorContains(t, err, "channel "+ch.Channel().ID())
		require.Equal(t, before, ch.Pipeline().Names())
		require.Empty(t, rec.take())
	})
	t.Run("by name, by identity, by type, by generated name", func(t *testing.T) {
		rec := &record{}
		a, b := &reader{name: "A", rec: rec}, &reader{name: "B", rec: rec}
		w := &writer{"W", rec}
		ch := newChannel(t, a, pipeline.Named("b", b), w)
		p := ch.Pipeline()
		require.Equal(t, []string{"pipeline_test.reader#0", "b", "pipeline_test.writer#0"}, p.Names())
		require.Same(t, a, p.Get("pipeline_test.reader#0").Handler())
		require.Same(t, b, p.Get("b").Handler())
		require.Nil(t, p.Get("c"))
		require.Same(t, p.Get("b"), p.ContextOf(b))
		require.Nil(t, p.ContextOf(&reader{}))
		found, ctx := pipeline.Find[*writer](p)
		require.Same(t, w, found)
		require.Same(t, p.ContextOf(w), ctx)
		none, ctx := pipeline.Find[*life](p)
		require.Nil(t, none)
		require.Nil(t, ctx)
		require.Nil(t, p.ContextOf(func() {}), "what is no handler is nowhere")
		for _, err := range []error{p.Remove("c"), p.Replace("c", a), p.AddBefore("c", a), p.AddAfter("c", a)} {
			require.ErrorIs(t, err, pipeline.ErrNoHandler)
			require.ErrorContains(t, err, `no handler "c"`)
		}
	})
	t.Run("first, last, before, after, replace, remove", func(t *testing.T) {
		rec := &record{}
		r := func(name string) pipeline.Handler { return pipeline.Named(name, &reader{name: name, rec: rec}) }
		ch := newChannel(t, r("m"))
		p := ch.Pipeline()
		require.NoError(t, p.AddFirst(r("a"), r("b")))
		require.NoError(t, p.AddLast(r("y"), r("z")))
		require.NoError(t, p.AddBefore("m", r("k"), r("l")))
		require.NoError(t, p.AddAfter("m", r("n"), r("o")))
		require.Equal(t, []string{"a", "b", "k", "l", "m", "n", "o", "y", "z"}, p.Names())
		require.NoError(t, p.Replace("m", r("m"), r("m2")))
		require.NoError(t, p.Remove("k"))
		require.Equal(t, []string{"a", "b", "l", "m", "m2", "n", "o", "y", "z"}, p.Names())
		rec.take()
		require.NoError(t, ch.WriteInbound(&message{}))
		require.Equal(t, p.Names(), rec.take())
	})
}

func TestL3AddedRunsBeforeAnyEvent(t *testing.T) {
	t.Run("core-06 a handler added behind the running one gets the message", func(t *testing.T) {
		rec := &record{}
		b := &reader{name: "B", rec: rec}
		a := &reader{name: "A", rec: rec}
		a.do = func(ctx *pipeline.Context, msg any) error {
			require.NoError(t, ctx.AddAfter(b))
			ctx.FireRead(msg)
			return nil
		}
		ch := newChannel(t, a, &reader{name: "C", rec: rec})
		rec.take()
		require.NoError(t, ch.WriteInbound(&message{}))
		require.Equal(t, []string{"A", "added B", "B", "C"}, rec.take())
	})
	t.Run("core-07 a failing HandleAdded is undone and reported", func(t *testing.T) {
		rec := &record{}
		cause := errors.New("no")
		c := &catcher{name: "caught", rec: rec}
		ch := newChannel(t, c)
		require.NoError(t, ch.Pipeline().AddLast(&refuses{rec, cause}))
		require.Equal(t, []string{"removed", "caught"}, rec.take())
		require.ErrorIs(t, c.errs[0], cause)
		var added *pipeline.AddedError
		require.ErrorAs(t, c.errs[0], &added)
		require.Equal(t, "pipeline_test.refuses#0", added.Handler)
		require.Equal(t, []string{"pipeline_test.catcher#0"}, ch.Pipeline().Names())
		require.True(t, ch.Channel().IsOpen())
	})
}

type refuses struct {
	rec *record
	err error
}

func (r *refuses) HandleAdded(*pipeline.Context) error { return r.err }

func (r *refuses) HandleRemoved(*pipeline.Context) error {
	r.rec.add("removed")
	return nil
}

func TestL4RemovedIsCalledOnceAndNothingAfterwards(t *testing.T) {
	t.Run("core-04 a handler that removes itself still forwards", func(t *testing.T) {
		rec := &record{}
		b := &reader{name: "B", rec: rec}
		b.do = func(ctx *pipeline.Context, msg any) error {
			ctx.Remove()
			ctx.Remove() // twice does nothing
			ctx.FireRead(msg)
			return nil
		}
		ch := newChannel(t, &reader{name: "A", rec: rec}, b, &reader{name: "C", rec: rec})
		rec.take()
		require.NoError(t, ch.WriteInbound(&message{1}, &message{2}))
		require.Equal(t, []string{"A", "B", "removed B", "C", "A", "C"}, rec.take())
	})
	t.Run("core-05 the next handler is removed before the message reaches it", func(t *testing.T) {
		rec := &record{}
		a := &reader{name: "A", rec: rec}
		a.do = func(ctx *pipeline.Context, msg any) error {
			require.NoError(t, ctx.Pipeline().Remove("b"))
			ctx.FireRead(msg)
			return nil
		}
		ch := newChannel(t, a, pipeline.Named("b", &reader{name: "B", rec: rec}), &reader{name: "C", rec: rec})
		rec.take()
		require.NoError(t, ch.WriteInbound(&message{}))
		require.Equal(t, []string{"A", "removed B", "C"}, rec.take())
	})
}

type private struct {
	pipeline.Unshared
	reader
}

func TestL5UnsharedHandlersAreInOnePipelineOnce(t *testing.T) {
	t.Run("core-08", func(t *testing.T) {
		rec := &record{}
		h := &private{reader: reader{name: "H", rec: rec}}
		shared := &reader{name: "S", rec: rec}
		one := newChannel(t, h, shared)
		two := newChannel(t, shared, shared)
		require.ErrorIs(t, two.Pipeline().AddLast(h), pipeline.ErrNotShareable)
		require.ErrorIs(t, one.Pipeline().AddLast(h), pipeline.ErrNotShareable)
		one.Pipeline().ContextOf(h).Remove()
		require.NoError(t, two.Pipeline().AddLast(h), "free again after its removal")
	})
	t.Run("a refused call frees what it had claimed", func(t *testing.T) {
		h := &private{reader: reader{name: "H", rec: &record{}}}
		ch := newChannel(t, pipeline.Named("x", &catcher{}))
		require.Error(t, ch.Pipeline().AddLast(h, pipeline.Named("x", &catcher{})))
		require.NoError(t, ch.Pipeline().AddLast(h))
	})
}

func TestL6InitRunsOnceAndItsErrorClosesTheChannel(t *testing.T) {
	t.Run("core-09 once, also when a handler's adding calls back", func(t *testing.T) {
		rec := &record{}
		runs := 0
		ch, err := embedded.NewInit(embedded.Config{}, func(ch *pipeline.Channel) error {
			runs++
			again := &onAdded{func(*pipeline.Context) error {
				ch.Open(func(*pipeline.Channel) error { runs++; return nil })
				return nil
			}}
			return ch.Pipeline().AddLast(pipeline.Named("a", &reader{name: "A", rec: rec}),
				pipeline.Named("b", again), pipeline.Named("c", &reader{name: "C", rec: rec}))
		})
		require.NoError(t, err)
		require.Equal(t, 1, runs)
		require.Equal(t, []string{"a", "b", "c"}, ch.Pipeline().Names())
	})
	t.Run("core-10 an error is reported once and nobody sees active", func(t *testing.T) {
		rec := &record{}
		cause := errors.New("bad set-up")
		ch, err := embedded.NewInit(embedded.Config{}, func(ch *pipeline.Channel) error {
			require.NoError(t, ch.Pipeline().AddLast(&life{"A", rec}))
			return cause
		})
		require.ErrorIs(t, err, cause)
		require.Equal(t, []string{"added A", "removed A"}, rec.take())
		if ch != nil {
			require.True(t, ch.Channel().Closed())
			require.NoError(t, ch.CheckErr())
		}
	})
}

type onAdded struct{ f func(*pipeline.Context) error }

func (o *onAdded) HandleAdded(ctx *pipeline.Context) error { return o.f(ctx) }

func TestL7LifeOfAChannel(t *testing.T) {
	t.Run("core-18 added, active, reads, complete, inactive, removed from the tail", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, &life{"A", rec}, &life{"B", rec}, &life{"C", rec})
		require.Equal(t, []string{"added A", "added B", "added C", "active A", "active B", "active C"}, rec.take())
		require.NoError(t, ch.WriteInbound(&message{1}, &message{2}))
		require.Equal(t, []string{
			"read A", "read B", "read C", "read A", "read B", "read C", "complete A", "complete B", "complete C",
		}, rec.take())
		ch.PeerClose()
		ch.RunPending()
		require.Equal(t, []string{
			"inactive A", "inactive B", "inactive C", "removed C", "removed B", "removed A",
		}, rec.take())
	})
	t.Run("core-19 a close inside a read is not seen before the read has returned", func(t *testing.T) {
		rec := &record{}
		b := &reader{name: "B", rec: rec}
		b.do = func(ctx *pipeline.Context, _ any) error {
			ctx.CloseWith(pipeline.CloseNow, nil)
			rec.add("B returns")
			return nil
		}
		ch := newChannel(t, &life{"A", rec}, b)
		rec.take()
		require.NoError(t, ch.WriteInbound(&message{}))
		require.Equal(t, []string{"read A", "B", "B returns", "inactive A", "removed B", "removed A"}, withoutComplete(rec.take()))
	})
}

func withoutComplete(events []string) []string {
	var rest []string
	for _, e := range events {
		if e != "complete A" {
			rest = append(rest, e)
		}
	}
	return rest
}

func TestL8HandlersThatDoNotImplementAnEventAreSkipped(t *testing.T) {
	t.Run("core-12 a million messages past six outbound-only handlers", func(t *testing.T) {
		rec := &record{}
		var handlers []pipeline.Handler
		seen := 0
		for range 6 {
			handlers = append(handlers, &passer{&seen}, &writer{"W", rec})
		}
		end := pipeline.OnRead(func(*pipeline.Context, *message) error { return nil })
		ch := newChannel(t, append(handlers, end)...)
		m := &message{}
		ch.Channel().Inject(func(p *pipeline.Pipeline) {
			for range 1_000_000 {
				p.FireRead(m)
			}
		})
		require.Equal(t, 6_000_000, seen)
		require.Empty(t, rec.take())
	})
}

type passer struct{ seen *int }

func (p *passer) HandleRead(ctx *pipeline.Context, msg any) error {
	*p.seen++
	ctx.FireRead(msg)
	return nil
}

func TestL9AHandlerIsBypassedUntilItsAddedHasRun(t *testing.T) {
	rec := &record{}
	late := &fires{reader{name: "late", rec: rec}}
	ch := newChannel(t, &reader{name: "A", rec: rec}, &reader{name: "Z", rec: rec})
	rec.take()
	require.NoError(t, ch.Pipeline().AddAfter("pipeline_test.reader#0", late))
	require.Equal(t, []string{"A", "Z"}, rec.take())
	require.NoError(t, ch.WriteInbound(&message{}))
	require.Equal(t, []string{"A", "late", "Z"}, rec.take())
}

// fires sends a message through the whole pipeline while it is being added.
type fires struct{ reader }

func (f *fires) HandleAdded(ctx *pipeline.Context) error {
	ctx.Pipeline().FireRead(&message{})
	return nil
}

func TestL10AReplacedHandlerForwardsIntoItsReplacement(t *testing.T) {
	t.Run("core-11", func(t *testing.T) {
		rec := &record{}
		b2 := &reader{name: "B2", rec: rec}
		b := &reader{name: "B", rec: rec}
		b.do = func(ctx *pipeline.Context, msg any) error {
			require.NoError(t, ctx.Replace(b2))
			ctx.FireRead(msg)
			return nil
		}
		ch := newChannel(t, &reader{name: "A", rec: rec}, b, &reader{name: "C", rec: rec})
		rec.take()
		require.NoError(t, ch.WriteInbound(&message{1}))
		require.Equal(t, []string{"A", "B", "added B2", "removed B", "B2", "C"}, rec.take())
		require.NoError(t, ch.WriteInbound(&message{2}))
		require.Equal(t, []string{"A", "B2", "C"}, rec.take())
	})
	t.Run("outbound too, and by several", func(t *testing.T) {
		rec := &record{}
		b := &reader{name: "B", rec: rec}
		b.do = func(ctx *pipeline.Context, msg any) error {
			require.NoError(t, ctx.Replace(&writer{"W1", rec}, &writer{"W2", rec}))
			return ctx.Write(msg)
		}
		ch := newChannel(t, &writer{"A", rec}, b)
		rec.take()
		require.NoError(t, ch.WriteInbound(&message{}))
		require.Equal(t, []string{"B", "removed B", "W2", "W1", "A"}, rec.take())
	})
	t.Run("with nothing it is a removal", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, pipeline.Named("r", &reader{name: "R", rec: rec}))
		require.NoError(t, ch.Pipeline().Replace("r"))
		require.Empty(t, ch.Pipeline().Names())
	})
	t.Run("a refused replacement changes nothing", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, pipeline.Named("r", &reader{name: "R", rec: rec}))
		require.ErrorIs(t, ch.Pipeline().Replace("r", struct{}{}), pipeline.ErrNotHandler)
		require.Equal(t, []string{"r"}, ch.Pipeline().Names())
	})
}
