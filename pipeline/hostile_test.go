package pipeline_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// TestAListenerThatWritesAgainDoesNotGrowTheStack has a producer that never looks at the error.
func TestAListenerThatWritesAgainDoesNotGrowTheStack(t *testing.T) {
	const writes = 20_000
	b := newBare(t, pipeline.Options{})
	left, deepest := writes, 0
	var again func(error)
	again = func(error) {
		var pcs [4096]uintptr
		deepest = max(deepest, runtime.Callers(0, pcs[:]))
		if left--; left > 0 {
			p := b.NewPromise()
			p.OnDone(again)
			b.Pipeline().WriteWith(pooled(b.Channel, "x"), p)
		}
	}
	b.CloseWith(pipeline.CloseNow, nil)
	b.run()
	require.NoError(t, b.Loop().Post(func() { again(nil) }))
	b.run()
	require.Zero(t, left)
	require.Less(t, deepest, 500)
}

func TestAPanicOnTheWayOfASentMessageFailsItsPromise(t *testing.T) {
	rec := &record{}
	b := newBare(t, pipeline.Options{}, pipeline.OnWrite(func(*pipeline.Context, *message, *pipeline.Promise) error { panic("oops") }))
	require.NoError(t, b.Send(&message{}, rec.note(b.Channel, "sent")))
	b.run()
	require.Len(t, rec.take(), 1)
	require.True(t, b.Closed())
}

func TestAReplacedHandlerIsToldAlthoughItsReplacementPanics(t *testing.T) {
	rec := &record{}
	b := newBare(t, pipeline.Options{}, pipeline.Named("old", &reader{name: "old", rec: rec}))
	rec.take()
	require.NoError(t, b.Post(func() {
		_ = b.Pipeline().Replace("old", &onAdded{func(*pipeline.Context) error { panic("oops") }})
	}))
	b.run()
	require.Equal(t, []string{"removed old"}, rec.take())
	require.True(t, b.Closed())
}

// TestADrainingPeerMustTakeMoreThanAByteNowAndThen closes a channel whose peer takes 1 KiB every ten seconds, and lets
// one live that takes 64 KiB in half a minute.
func TestADrainingPeerMustTakeMoreThanAByteNowAndThen(t *testing.T) {
	for name, c := range map[string]struct {
		each  int
		cause error
	}{
		"1 KiB every ten seconds":  {1 << 10, pipeline.ErrWriteStall},
		"32 KiB every ten seconds": {32 << 10, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBare(t, pipeline.Options{})
			b.wire.room = 0
			require.NoError(t, b.Pipeline().Write(pooled(b.Channel, strings.Repeat("x", 256<<10))))
			b.Pipeline().Close(pipeline.CloseDrain, nil)
			b.run()
			for range 12 {
				b.now = b.now.Add(10 * time.Second)
				b.wire.room = c.each
				b.run()
				b.wire.room = 0
			}
			require.True(t, b.Closed())
			require.ErrorIs(t, b.Cause(), c.cause)
			require.Equal(t, c.cause == nil, len(b.wire.out) == 256<<10)
		})
	}
}
