package pipeline_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

func TestSmallNeighboursShareABuffer(t *testing.T) {
	for name, c := range map[string]struct {
		sizes  []int
		pieces int
	}{
		"many small ones":               {[]int{100, 100, 100, 100}, 1},
		"at the limit":                  {[]int{512, 512}, 1},
		"a large one stands alone":      {[]int{513, 513}, 2},
		"small ones behind a large one": {[]int{6000, 10, 10}, 2},
		"small, large, small":           {[]int{10, 6000, 10}, 3},
		"the shared buffer is bounded":  {[]int{500, 500, 500, 500, 500, 500, 500, 500, 500, 500}, 2},
		"empty ones leave no trace":     {[]int{0, 5, 0, 5, 0}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBare(t, pipeline.Options{ManualFlush: true})
			want := ""
			for i, n := range c.sizes {
				text := strings.Repeat(string(rune('a'+i)), n)
				want += text
				require.NoError(t, b.Pipeline().Write(pooled(b.Channel, text)))
			}
			b.Pipeline().Flush()
			require.Equal(t, []int{c.pieces}, b.wire.calls)
			require.Equal(t, want, string(b.wire.out))
			require.Zero(t, b.Loop().Pool().Live())
		})
	}
	t.Run("what somebody else holds is not appended to", func(t *testing.T) {
		b := newBare(t, pipeline.Options{ManualFlush: true})
		kept := b.Loop().Pool().Get(1000)
		kept.AppendString("kept")
		kept.Retain()
		require.NoError(t, b.Pipeline().Write(kept))
		require.NoError(t, b.Pipeline().Write(pooled(b.Channel, " and more")))
		b.Pipeline().Flush()
		require.Equal(t, "kept and more", string(b.wire.out))
		require.Equal(t, "kept", string(kept.Bytes()))
		require.True(t, kept.Unique())
		kept.Release()
	})
	t.Run("behind a neighbour that is half sent", func(t *testing.T) {
		b := newBare(t, pipeline.Options{ManualFlush: true})
		b.wire.room = 3
		require.NoError(t, b.Pipeline().Write(pooled(b.Channel, "first ")))
		b.Pipeline().Flush()
		require.NoError(t, b.Pipeline().Write(pooled(b.Channel, "second")))
		b.Pipeline().Flush()
		b.wire.room = -1
		b.run()
		require.Equal(t, "first second", string(b.wire.out))
		require.Equal(t, []int{1, 1}, b.wire.calls)
	})
}

func TestBytesComeAsBuffersAndRopes(t *testing.T) {
	ch := newChannel(t)
	rope := buffer.NewComposite()
	for _, s := range []string{"a", strings.Repeat("b", 1000), "c"} {
		rope.Append(pooled(ch.Channel(), s))
	}
	rope.Retain()
	rec := &record{}
	ch.Pipeline().WriteWith(rope, rec.note(ch.Channel(), "rope"))
	ch.RunPending()
	require.Equal(t, "a"+strings.Repeat("b", 1000)+"c", ch.WireString())
	require.Equal(t, []string{"rope ok"}, rec.take())
	require.Equal(t, 1002, rope.Len(), "a rope that somebody else holds stays as it is")
	rope.Release()
	require.Zero(t, ch.Loop().Pool().Live())
	require.EqualValues(t, 1002, ch.Channel().BytesWritten())
}

func TestNoWritePassesTheHardCap(t *testing.T) {
	opts := pipeline.Options{WriteHigh: 10, HardCap: 20}
	ch := newChannelWith(t, embedded.Config{Options: opts})
	ch.Block()
	require.NoError(t, ch.Pipeline().Write(bytesOf("0123456789")))
	err := ch.Pipeline().Write(pooled(ch.Channel(), "0123456789!"))
	require.ErrorIs(t, err, pipeline.ErrOutboundFull)
	require.ErrorContains(t, err, "10 bytes queued, 11 more would pass the cap of 20")
	require.Zero(t, ch.Loop().Pool().Live())
	require.NoError(t, ch.Pipeline().Write(bytesOf("0123456789")), "exactly the cap")
	require.True(t, ch.Channel().IsOpen())
	ch.Unblock()
	require.Len(t, ch.WireString(), 20)
}

func TestO6WritesWithoutAPromise(t *testing.T) {
	t.Run("refused at once is what Write returns", func(t *testing.T) {
		ch := newChannel(t)
		ch.Pipeline().Close(pipeline.CloseDrain, nil)
		require.ErrorIs(t, ch.Pipeline().Write(bytesOf("late")), pipeline.ErrClosed)
	})
	t.Run("failed later is not reported singly: the close cause is, once", func(t *testing.T) {
		cause := errors.New("cable cut")
		ch := newChannel(t)
		ch.Block()
		for range 5 {
			require.NoError(t, ch.Pipeline().Write(bytesOf("queued")))
		}
		ch.RunPending()
		ch.FailWrite(cause)
		require.Same(t, cause, ch.CheckErr())
		require.NoError(t, ch.CheckErr())
		require.Same(t, cause, ch.Channel().Cause())
	})
}

func TestCancelledWritesAreCutOutOfTheQueue(t *testing.T) {
	texts := []string{"aa", "", "bbb", strings.Repeat("c", 600), "d", "ee", strings.Repeat("f", 5000), "g"}
	for mask := range 1 << len(texts) {
		rec := &record{}
		b := newBare(t, pipeline.Options{ManualFlush: true})
		b.wire.room = 3
		require.NoError(t, b.Pipeline().Write(pooled(b.Channel, "flushed before")))
		b.Pipeline().Flush()
		want, results := "flushed before", []string(nil)
		var kept []string
		for i, text := range texts {
			p := rec.note(b.Channel, string(rune('a'+i)))
			b.Pipeline().WriteWith(pooled(b.Channel, text), p)
			if mask&(1<<i) != 0 {
				require.True(t, p.Cancel())
				results = append(results, string(rune('a'+i))+" cancelled")
			} else {
				want += text
				kept = append(kept, string(rune('a'+i))+" ok")
			}
		}
		b.Pipeline().Flush()
		require.Equal(t, results, rec.take())
		require.Equal(t, len(want)-3, b.Pending())
		b.wire.room = -1
		b.run()
		require.Equal(t, want, string(b.wire.out))
		require.Equal(t, kept, rec.take())
		require.Zero(t, b.Loop().Pool().Live())
	}
}
