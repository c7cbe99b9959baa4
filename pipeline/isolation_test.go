package pipeline_test

import (
	"io"
	"log/slog"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// TestTenThousandPanicsCloseOnlyTheirOwnChannels lets 10,000 channels of one loop fail beside one that works: in
// a read, in a promise listener, in a timer, and in a listener that completes within another channel's batch.
func TestTenThousandPanicsCloseOnlyTheirOwnChannels(t *testing.T) {
	const panics = 10_000
	opts := pipeline.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}.WithDefaults()
	loop := pipeline.NewLoop(pipeline.LoopConfig{Logger: opts.Logger})
	loop.Bind()
	open := func(handlers ...pipeline.Handler) (*pipeline.Channel, *wire) {
		w := &wire{room: -1}
		ch := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: w, Options: &opts})
		ch.Open(func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) })
		return ch, w
	}
	good, goodWire := open(echo())
	explode := func(error) { panic("oops") }
	places := []func(ctx *pipeline.Context){
		func(*pipeline.Context) { panic("oops") },
		func(ctx *pipeline.Context) {
			p := ctx.NewPromise()
			p.OnDone(explode)
			ctx.WriteWith(bytesOf("x"), p)
		},
		func(ctx *pipeline.Context) { ctx.After(0, func() { panic("oops") }) },
	}
	for i := range panics {
		var ch *pipeline.Channel
		var w *wire
		if i%4 == 3 {
			ch, w = open()
			// the good channel's batch writes to both, and flushes the bad one first
			good.Inject(func(p *pipeline.Pipeline) {
				bad := ch.NewPromise()
				bad.OnDone(explode)
				ch.Pipeline().WriteWith(bytesOf("x"), bad)
				require.NoError(t, p.Write(bytesOf("!")))
			})
		} else {
			ch, w = open(pipeline.OnLend(func(ctx *pipeline.Context, _ *buffer.Buffer) error {
				places[i%4](ctx)
				return nil
			}))
			w.in = []byte("x")
			ch.ReadReady()
			loop.RunPending()
			goodWire.in = []byte("!")
			good.ReadReady()
		}
		require.True(t, ch.Closed(), "panic %d", i)
		require.True(t, w.closed)
	}
	require.Len(t, goodWire.out, panics)
	require.True(t, good.IsOpen())
	require.EqualValues(t, panics, loop.Stats().Panics)
	good.CloseWith(pipeline.CloseNow, nil)
	loop.RunPending()
	loop.Close()
}

// TestEmptyWritesToABlockedPeerComeToRest completes their promises in order once the peer reads again.
func TestEmptyWritesToABlockedPeerComeToRest(t *testing.T) {
	rec := &record{}
	b := newBare(t, pipeline.Options{})
	b.wire.room = 0
	b.Pipeline().WriteWith(pooled(b.Channel, "x"), rec.note(b.Channel, "first"))
	for _, name := range []string{"empty", "empty too"} {
		b.Pipeline().WriteWith(pooled(b.Channel, ""), rec.note(b.Channel, name))
		b.run()
	}
	require.Empty(t, rec.take())
	b.wire.room = -1
	b.run()
	require.Len(t, rec.take(), 3)
	b.Pipeline().WriteWith(pooled(b.Channel, ""), rec.note(b.Channel, "alone"))
	b.run()
	require.Len(t, rec.take(), 1)
}
