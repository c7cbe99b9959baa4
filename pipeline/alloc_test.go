//go:build !race

package pipeline_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// Steady states that allocate nothing. A checked buffer is a new one each time, so these budgets hold without the
// tag bufdebug only.

// mallocsPerOp runs f n times after a warm-up and returns what one run allocates, fractions included: what the
// runtime allocates now and then for itself is far below a thousandth.
func mallocsPerOp(n int, f func()) float64 {
	for range 1000 {
		f()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n)
}

const (
	budgetRuns = 100_000
	nothing    = 0.001
)

// line is a message that its decoder and encoder use over and over.
type line struct {
	text  buffer.Slice
	codec *lineCodec
}

func (l *line) Retain() { l.text.Retain() }

func (l *line) Release() {
	l.text.Release()
	l.codec.free = append(l.codec.free, l)
}

// lineCodec has lines of up to 127 bytes behind their length.
type lineCodec struct{ free []*line }

func (c *lineCodec) Decode(in *buffer.Buffer) (*line, bool, error) {
	if in.Len() == 0 || in.Len() < 1+int(in.Peek(1)[0]) {
		return nil, false, nil
	}
	var l *line
	if n := len(c.free); n > 0 {
		l, c.free = c.free[n-1], c.free[:n-1]
	} else {
		l = &line{codec: c}
	}
	l.text = in.ReadSlice(int(in.Next(1)[0]))
	return l, true, nil
}

func (c *lineCodec) Size(l *line) int { return 1 + l.text.Len() }

func (c *lineCodec) Encode(out *buffer.Writer, l *line) error {
	out.AppendByte(byte(l.text.Len()))
	out.Append(l.text.Bytes())
	return nil
}

func TestEchoThroughACodecAllocatesNothing(t *testing.T) {
	if buffer.Debug {
		return
	}
	c := &lineCodec{}
	read := pipeline.OnRead(func(ctx *pipeline.Context, l *line) error { return ctx.Write(l) })
	ch := newChannel(t, codec.NewDecoder(c), codec.NewEncoder(c), read)
	request := append([]byte{60}, make([]byte, 60)...)
	two := slices.Concat(request, request)
	require.LessOrEqual(t, mallocsPerOp(budgetRuns/2, func() {
		_ = ch.Feed(request)
		_ = ch.Feed(two)
		ch.DiscardWire()
	}), nothing)
	require.Equal(t, 3*(budgetRuns/2+1000)*len(request), ch.Written())
}

func TestDispatchAllocatesNothing(t *testing.T) {
	handlers, last := dispatchChain()
	ch := newChannel(t, handlers...)
	m := &message{}
	require.LessOrEqual(t, mallocsPerOp(budgetRuns, func() { ch.Pipeline().FireRead(m) }), nothing)
	require.Equal(t, budgetRuns+1000, last.n)
	require.LessOrEqual(t, mallocsPerOp(budgetRuns, func() {
		ch.Pipeline().FireReadComplete()
		ch.Pipeline().FireEvent(m)
		ch.Events()
	}), 1+nothing, "the harness keeps the event")
}

func TestWritesWithPromisesAllocateNothing(t *testing.T) {
	if buffer.Debug {
		return
	}
	ch := newChannel(t)
	done := 0
	listener := func(error) { done++ }
	require.LessOrEqual(t, mallocsPerOp(budgetRuns, func() {
		for range 3 {
			p := ch.Channel().NewPromise()
			p.OnDone(listener)
			b := ch.Loop().Pool().Get(64)
			b.AppendString("some bytes")
			ch.Pipeline().WriteWith(b, p)
		}
		ch.RunPending()
		ch.DiscardWire()
	}), nothing)
	require.Equal(t, 3*(budgetRuns+1000), done)
}

func TestForeignWritesAllocateNothing(t *testing.T) {
	if buffer.Debug {
		return
	}
	ch := newChannel(t)
	done := 0
	listener := func(error) { done++ }
	require.LessOrEqual(t, mallocsPerOp(budgetRuns, func() {
		p := ch.Channel().NewPromise()
		p.OnDone(listener)
		b := buffer.Get(64)
		b.AppendString("some bytes")
		_ = ch.Channel().Send(b, p)
		ch.RunPending()
		ch.DiscardWire()
	}), nothing)
	require.Equal(t, budgetRuns+1000, done)
}

func TestTimersAllocateNothingToReArmAndFire(t *testing.T) {
	ch := newChannel(t)
	fired := 0
	timer := ch.Channel().After(time.Hour, func() { fired++ })
	other := ch.Channel().After(time.Hour, func() {})
	require.LessOrEqual(t, mallocsPerOp(budgetRuns, func() {
		other.Reset(time.Minute)
		timer.Reset(2 * time.Second)
		timer.Reset(time.Second)
		ch.AdvanceTime(time.Second)
		other.Stop()
	}), nothing)
	require.Equal(t, budgetRuns+1000, fired)
}

func TestAnIdleChannelIsSmall(t *testing.T) {
	const channels, limit = 2000, 1 << 10
	loop := pipeline.NewLoop(pipeline.LoopConfig{})
	loop.Bind()
	opts := pipeline.Options{}.WithDefaults()
	kept := make([]*pipeline.Channel, 0, channels)
	w := &wire{room: -1}
	handlers := []pipeline.Handler{&hop{}, &outboundOnly{}, &hop{last: true}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range channels {
		ch := pipeline.NewChannel(loop, pipeline.ChannelConfig{Transport: w, Options: &opts})
		ch.Open(func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) })
		kept = append(kept, ch)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := int(after.HeapAlloc-before.HeapAlloc) / channels
	t.Logf("%d bytes for each channel with %d handlers", each, len(handlers))
	require.LessOrEqual(t, each, limit)
	for _, ch := range kept {
		ch.Pipeline().Close(pipeline.CloseNow, nil)
	}
	loop.RunPending()
	loop.Close()
}

func BenchmarkEchoThroughACodec(b *testing.B) {
	c := &lineCodec{}
	read := pipeline.OnRead(func(ctx *pipeline.Context, l *line) error { return ctx.Write(l) })
	ch, err := embedded.New(embedded.Config{}, codec.NewDecoder(c), codec.NewEncoder(c), read)
	require.NoError(b, err)
	request := append([]byte{60}, make([]byte, 60)...)
	b.ReportAllocs()
	for b.Loop() {
		_ = ch.Feed(request)
		ch.DiscardWire()
	}
	_, err = ch.Finish()
	require.NoError(b, err)
}
