package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// watches records what Writable is at each writability event.
type watches struct {
	rec *record
	do  func(*pipeline.Context)
}

func (w *watches) HandleWritability(ctx *pipeline.Context) error {
	w.rec.add(fmt.Sprintf("writable %v", ctx.Channel().Writable()))
	if w.do != nil {
		w.do(ctx)
	}
	ctx.FireWritability()
	return nil
}

// narrow has watermarks at ten and five bytes.
func narrow() embedded.Config {
	return embedded.Config{Options: pipeline.Options{WriteHigh: 10, WriteLow: 5}}
}

func TestO3WatermarksGiveOneEventPerTransition(t *testing.T) {
	write := func(t *testing.T, ch *embedded.Channel, n int) {
		t.Helper()
		require.NoError(t, ch.Pipeline().Write(bytesOf(strings.Repeat("x", n))))
	}
	t.Run("above high once, below low once, nothing at the marks or between", func(t *testing.T) {
		rec := &record{}
		ch := newChannelWith(t, narrow(), &watches{rec: rec})
		ch.Block()
		for _, step := range []struct {
			write, accept int
			pending       int
			writable      bool
			events        []string
		}{
			{write: 10, pending: 10, writable: true},
			{write: 1, pending: 11, writable: false, events: []string{"writable false"}},
			{write: 20, pending: 31, writable: false},
			{accept: 25, pending: 6, writable: false},
			{accept: 1, pending: 5, writable: false},
			{accept: 1, pending: 4, writable: true, events: []string{"writable true"}},
			{write: 6, pending: 10, writable: true},
			{accept: 10, pending: 0, writable: true},
			{write: 11, pending: 11, writable: false, events: []string{"writable false"}},
			{accept: 11, pending: 0, writable: true, events: []string{"writable true"}},
		} {
			if step.write > 0 {
				write(t, ch, step.write)
				ch.RunPending()
			}
			if step.accept > 0 {
				ch.AcceptBytes(step.accept)
			}
			require.Equal(t, step.pending, ch.Channel().Pending(), "%+v", step)
			require.Equal(t, step.writable, ch.Channel().Writable(), "%+v", step)
			require.Equal(t, step.events, rec.take(), "%+v", step)
		}
	})
	t.Run("what is not flushed counts", func(t *testing.T) {
		rec, cfg := &record{}, narrow()
		cfg.Options.ManualFlush = true
		ch := newChannelWith(t, cfg, &watches{rec: rec})
		write(t, ch, 11)
		require.Equal(t, []string{"writable false"}, rec.take(), "within the write itself")
		ch.Pipeline().Flush()
		require.Empty(t, rec.take(), "not inside the flush")
		ch.RunPending()
		require.Equal(t, []string{"writable true"}, rec.take())
	})
	t.Run("up and down within one batch is two events, down and up again is none", func(t *testing.T) {
		rec, at := &record{}, &spy{}
		ch := newChannelWith(t, narrow(), &watches{rec: rec}, at)
		ch.Channel().Inject(func(*pipeline.Pipeline) {
			write(t, ch, 11)
			at.ctx.Flush()
			require.True(t, ch.Channel().Writable())
			write(t, ch, 11)
			at.ctx.Flush()
		})
		require.Equal(t, []string{"writable false", "writable true"}, rec.take())
	})
	t.Run("none once a close has begun", func(t *testing.T) {
		for _, how := range []pipeline.CloseMode{pipeline.CloseDrain, pipeline.CloseNow, pipeline.CloseReset} {
			rec := &record{}
			ch := newChannelWith(t, narrow(), &watches{rec: rec})
			ch.Block()
			write(t, ch, 11)
			rec.take()
			ch.Pipeline().Close(how, nil)
			require.False(t, ch.Channel().Writable())
			ch.RunPending()
			ch.Unblock()
			require.Empty(t, rec.take(), how)
		}
	})
	t.Run("a handler that writes in the event is not called again", func(t *testing.T) {
		rec := &record{}
		w := &watches{rec: rec}
		ch := newChannelWith(t, narrow(), w)
		w.do = func(ctx *pipeline.Context) {
			if !ctx.Channel().Writable() {
				require.NoError(t, ctx.Write(bytesOf("one more")))
			}
		}
		ch.Block()
		write(t, ch, 11)
		require.Equal(t, []string{"writable false"}, rec.take())
		ch.Unblock()
		require.Equal(t, []string{"writable true"}, rec.take())
	})
}

func TestReadingPausesWhileTheChannelIsUnwritable(t *testing.T) {
	for _, pauses := range []bool{true, false} {
		t.Run(fmt.Sprintf("unless told otherwise: %v", pauses), func(t *testing.T) {
			cfg, s := narrow(), &sizes{}
			cfg.Options.ReadWhileUnwritable = !pauses
			ch := newChannelWith(t, cfg, s)
			ch.Block()
			require.NoError(t, ch.Pipeline().Write(bytesOf("eleven byte")))
			ch.RunPending()
			require.Equal(t, !pauses, ch.Channel().Reading())
			require.NoError(t, ch.FeedString("request"))
			if pauses {
				require.Empty(t, s.take())
			}
			ch.Unblock()
			require.Equal(t, []string{"7", "complete"}, s.take())
		})
	}
}

func TestReadingGoesOnWhileTheChannelIsUnwritableWhenAHandlerSaysSo(t *testing.T) {
	cfg, s := narrow(), &sizes{}
	ch := newChannelWith(t, cfg, s)
	at := ch.Pipeline().ContextOf(s)
	ch.Block()
	require.NoError(t, ch.Pipeline().Write(bytesOf("eleven byte")))
	ch.RunPending()
	require.NoError(t, ch.FeedString("request"))
	require.Empty(t, s.take())
	at.SetReadWhileUnwritable(true)
	ch.RunPending()
	require.Equal(t, []string{"7", "complete"}, s.take())
	require.False(t, ch.Channel().Writable())
	at.SetReadWhileUnwritable(false)
	require.NoError(t, ch.FeedString("more"))
	require.Empty(t, s.take())
	ch.Unblock()
	require.Equal(t, []string{"4", "complete"}, s.take())
}

func TestAHalfClosedChannelStillTellsThatItHasDrained(t *testing.T) {
	rec, cfg, s := &record{}, narrow(), &sizes{}
	cfg.Options.AllowHalfClose = true
	ch := newChannelWith(t, cfg, &watches{rec: rec}, s)
	ch.Block()
	require.NoError(t, ch.Pipeline().Write(bytesOf("eleven byte")))
	ch.Pipeline().Close(pipeline.CloseWrite, nil)
	require.NoError(t, ch.FeedString("request"))
	require.Empty(t, s.take(), "reading waits for the queue")
	ch.Unblock()
	require.Equal(t, []string{"writable false", "writable true"}, rec.take())
	require.Equal(t, []string{"7", "complete"}, s.take())
}
