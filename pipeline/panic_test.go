package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// explodes panics in the callback of one name and passes everything else on.
type explodes struct{ at string }

func (e *explodes) here(at string) {
	if e.at == at {
		panic("oops in " + at)
	}
}

func (e *explodes) HandleAdded(*pipeline.Context) error   { e.here("HandleAdded"); return nil }
func (e *explodes) HandleRemoved(*pipeline.Context) error { e.here("HandleRemoved"); return nil }

func (e *explodes) HandleActive(ctx *pipeline.Context) error {
	e.here("HandleActive")
	ctx.FireActive()
	return nil
}

func (e *explodes) HandleInactive(ctx *pipeline.Context) error {
	e.here("HandleInactive")
	ctx.FireInactive()
	return nil
}

func (e *explodes) HandleRead(ctx *pipeline.Context, msg any) error {
	defer ctx.FireRead(msg)
	e.here("HandleRead")
	return nil
}

func (e *explodes) HandleReadComplete(ctx *pipeline.Context) error {
	e.here("HandleReadComplete")
	ctx.FireReadComplete()
	return nil
}

func (e *explodes) HandleReadClosed(ctx *pipeline.Context) error {
	e.here("HandleReadClosed")
	ctx.FireReadClosed()
	return nil
}

func (e *explodes) HandleEvent(ctx *pipeline.Context, event any) error {
	e.here("HandleEvent")
	ctx.FireEvent(event)
	return nil
}

func (e *explodes) HandleError(_ *pipeline.Context, err error) error {
	e.here("HandleError")
	return err
}

func (e *explodes) HandleWritability(ctx *pipeline.Context) error {
	e.here("HandleWritability")
	ctx.FireWritability()
	return nil
}

func (e *explodes) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	err := ctx.Forward(msg, p)
	e.here("HandleWrite")
	return err
}

func (e *explodes) HandleFlush(ctx *pipeline.Context) error {
	ctx.Flush()
	e.here("HandleFlush")
	return nil
}

func (e *explodes) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	err := ctx.ForwardClose(how, p)
	e.here("HandleClose")
	return err
}

func (e *explodes) HandleReadRequest(ctx *pipeline.Context) error {
	e.here("HandleReadRequest")
	ctx.Read()
	return nil
}

func TestAPanicInAnyCallbackClosesItsChannelAndNoOther(t *testing.T) {
	for _, at := range []string{
		"HandleAdded", "HandleActive", "HandleRead", "HandleReadComplete", "HandleEvent", "HandleWritability", "HandleWrite",
		"HandleFlush", "HandleReadRequest", "HandleError", "HandleReadClosed", "HandleClose", "HandleInactive", "HandleRemoved",
	} {
		t.Run(at, func(t *testing.T) {
			rec := &record{}
			before, behind := &life{"before", rec}, &life{"behind", rec}
			fails := handle(func(ctx *pipeline.Context, msg any) error {
				ctx.Release(msg)
				return errors.New("bad input")
			})
			b := newBare(t, pipeline.Options{WriteHigh: 4, WriteLow: 2, AllowHalfClose: true}, fails, before, &explodes{at}, behind)
			other := newBare(t, pipeline.Options{}, echo())
			do := func(f func()) {
				require.NoError(t, b.Post(func() {
					if b.IsOpen() {
						f()
					}
				}))
				b.run()
			}
			do(func() { b.Pipeline().FireEvent("event") })
			do(func() { b.Pipeline().Read() })
			do(func() { _ = b.Pipeline().Write(bytesOf("above high")) })
			do(func() { b.Pipeline().ContextOf(before).FireRead(pooled(b.Channel, "x")) })
			do(func() { b.Pipeline().ContextOf(before).FireReadComplete() })
			b.wire.fin = true
			b.run()
			do(func() { b.Pipeline().FireRead(pooled(b.Channel, "bad")) })
			do(func() { b.Pipeline().Close(pipeline.CloseDrain, nil) })

			require.True(t, b.Closed())
			require.EqualValues(t, 1, b.Loop().Stats().Panics)
			want := fmt.Sprintf("pipeline: panic in pipeline_test.(*explodes).%s: oops in %s", at, at)
			require.Equal(t, 1, strings.Count(b.logs.String(), want), b.logs)
			events := strings.Join(rec.take(), ",")
			if at != "HandleAdded" {
				require.Equal(t, 1, strings.Count(events, "removed behind"), events)
			}
			if at != "HandleAdded" && at != "HandleActive" {
				require.Equal(t, 1, strings.Count(events, "inactive behind"), "also behind the panic: %s", events)
			}
			require.Equal(t, 1, strings.Count(events, "removed before"), events)
			other.feed("still here")
			require.Equal(t, "still here", string(other.wire.out))
		})
	}
}

func TestPanicErrorSaysWhatHappened(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(ch *pipeline.Channel)
		want string
	}{
		"its own value":               {func(*pipeline.Channel) { panic("oops") }, "oops"},
		"a nil pointer":               {func(*pipeline.Channel) { _ = (*message)(nil).n }, "invalid memory address"},
		"in somebody else's function": {func(*pipeline.Channel) { _ = strings.Repeat("x", -1) }, "negative Repeat count"},
		"in a function it passed on":  {func(*pipeline.Channel) { slices.SortFunc([]int{2, 1}, func(int, int) int { panic("oops") }) }, "oops"},
		"misuse of the pipeline":      {func(ch *pipeline.Channel) { p := ch.NewPromise(); p.Succeed(); p.Succeed() }, "after completion"},
		"misuse of bytes by the context": {func(ch *pipeline.Channel) {
			_, ctx := pipeline.Find[*panics](ch.Pipeline())
			b := bytesOf("x")
			ctx.Release(b)
			ctx.Release(b)
		}, "released twice"},
		"misuse of bytes": {func(ch *pipeline.Channel) {
			b := pooled(ch, "x")
			b.Release()
			b.Release()
		}, "released twice"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &panics{c.f}
			ch := newChannel(t, h)
			err := ch.WriteInbound(&message{})
			var caught *pipeline.PanicError
			require.ErrorAs(t, err, &caught)
			require.Equal(t, "pipeline_test.(*panics).HandleRead", caught.Handler)
			require.ErrorContains(t, err, c.want)
			require.Contains(t, string(caught.Stack), "panic_test.go")
			require.Same(t, err, ch.Channel().Cause())
		})
	}
	t.Run("an error as value can be found", func(t *testing.T) {
		bad := errors.New("bad")
		ch := newChannel(t, &panics{func(*pipeline.Channel) { panic(bad) }})
		require.ErrorIs(t, ch.WriteInbound(&message{}), bad)
	})
}

type panics struct{ f func(*pipeline.Channel) }

func (p *panics) HandleRead(ctx *pipeline.Context, _ any) error {
	p.f(ctx.Channel())
	return nil
}

func TestPanicsOutsideOfHandlers(t *testing.T) {
	for name, c := range map[string]struct {
		start func(b *bare)
		want  string
	}{
		"in a posted function": {func(b *bare) { _ = b.Post(func() { panic("oops") }) }, "1.1"},
		"in a timer":           {func(b *bare) { b.After(0, func() { panic("oops") }) }, "2.1"},
		"in a listener": {func(b *bare) {
			p := b.NewPromise()
			p.OnDone(func(error) { panic("oops") })
			b.Pipeline().WriteWith(pooled(b.Channel, "x"), p)
		}, "3.1"},
		"in a listener of a failed write": {func(b *bare) {
			b.wire.fails = errors.New("cable cut")
			p := b.NewPromise()
			p.OnDone(func(error) { panic("oops") })
			b.Pipeline().WriteWith(pooled(b.Channel, "x"), p)
			b.Pipeline().WriteWith(pooled(b.Channel, "y"), b.NewPromise())
		}, "4.1"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := &record{}
			b := newBare(t, pipeline.Options{}, &life{"A", rec})
			rec.take()
			c.start(b)
			b.run()
			require.True(t, b.Closed())
			require.Equal(t, []string{"inactive A", "removed A"}, rec.take())
			require.Contains(t, b.logs.String(), "panic in pipeline_test.TestPanicsOutsideOfHandlers.func"+c.want+": oops")
		})
	}
	t.Run("a task or timer of the loop closes nothing", func(t *testing.T) {
		b := newBare(t, pipeline.Options{})
		require.NoError(t, b.Loop().Post(func() { panic("in a task") }))
		b.Loop().After(time.Second, func() { panic("in a timer") })
		b.run()
		b.now = b.now.Add(time.Second)
		b.run()
		require.True(t, b.IsOpen())
		require.EqualValues(t, 2, b.Loop().Stats().Panics)
		require.Contains(t, b.logs.String(), "in a task")
		require.Contains(t, b.logs.String(), "in a timer")
	})
}

func TestAPanicInOneChannelsFlushLeavesTheOthersFlushed(t *testing.T) {
	loop := pipeline.NewLoop(pipeline.LoopConfig{})
	loop.Bind()
	var wires []*wire
	var channels []*pipeline.Channel
	for range 5 {
		w := &wire{room: -1}
		ch := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: w})
		ch.Open(nil)
		wires, channels = append(wires, w), append(channels, ch)
	}
	for i, ch := range channels { // outside of a batch: they are flushed together by the next one
		p := ch.NewPromise()
		if i == 2 {
			p.OnDone(func(error) { panic("oops") })
		}
		ch.Pipeline().WriteWith(bytesOf("x"), p)
		require.Empty(t, wires[i].out)
	}
	loop.RunPending()
	for i, ch := range channels {
		require.Equal(t, "x", string(wires[i].out))
		require.Equal(t, i == 2, ch.Closed())
		ch.Pipeline().Close(pipeline.CloseNow, nil)
	}
	loop.RunPending()
	loop.Close()
}

func TestAPanicInTheSetUpClosesTheChannel(t *testing.T) {
	b := &bare{wire: &wire{room: -1}, logs: &strings.Builder{}}
	b.open(t, pipeline.Options{}, b.wire, []pipeline.Handler{&life{"A", &record{}}, &explodes{"HandleAdded"}})
	require.True(t, b.Closed())
	require.True(t, b.wire.closed)
}

func TestARemovedHandlerThatWasNeverAnnouncedHearsNothing(t *testing.T) {
	rec := &record{}
	b := newBare(t, pipeline.Options{}, &explodes{"HandleAdded"}, &life{"behind", rec})
	require.True(t, b.Closed())
	require.Empty(t, rec.take(), "neither added nor removed")
}

func TestAPanicDuringTheTearDownDoesNotRepeatInactive(t *testing.T) {
	rec := &record{}
	b := newBare(t, pipeline.Options{}, &life{"before", rec}, &stopsInactive{rec}, &life{"behind", rec}, &explodes{"HandleRemoved"})
	rec.take()
	b.Pipeline().Close(pipeline.CloseNow, nil)
	b.run()
	require.Equal(t, []string{"inactive before", "stopped", "removed behind", "removed before"}, rec.take())
}

// stopsInactive does not pass Inactive on.
type stopsInactive struct{ rec *record }

func (s *stopsInactive) HandleInactive(*pipeline.Context) error {
	s.rec.add("stopped")
	return nil
}

func TestNoHandlerIsAddedDuringTheTearDown(t *testing.T) {
	var err error
	again := &readds{}
	again.then = func(ctx *pipeline.Context) { err = ctx.Pipeline().AddLast(&readds{}) }
	ch := newChannel(t, again)
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	require.ErrorIs(t, err, pipeline.ErrClosed)
	require.True(t, ch.Channel().Closed())
	require.ErrorIs(t, ch.Pipeline().AddLast(&readds{}), pipeline.ErrClosed)
}

// readds does something when it is removed.
type readds struct{ then func(*pipeline.Context) }

func (r *readds) HandleRemoved(ctx *pipeline.Context) error {
	r.then(ctx)
	return nil
}
