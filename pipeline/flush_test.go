package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// send writes text under a promise that is recorded by the text itself.
func send(ch *embedded.Channel, rec *record, texts ...string) {
	for _, s := range texts {
		ch.Pipeline().WriteWith(pooled(ch.Channel(), s), rec.note(ch.Channel(), s))
	}
}

func TestO1FlushSendsWhatWasWrittenBefore(t *testing.T) {
	t.Run("core-21 in manual mode and nothing else", func(t *testing.T) {
		rec := &record{}
		ch := newChannelWith(t, manual(), &spy{})
		send(ch, rec, "w1", "w2")
		ch.Pipeline().Flush()
		send(ch, rec, "w3")
		ch.AdvanceTime(time.Hour)
		require.Equal(t, "w1w2", ch.WireString())
		require.Equal(t, []string{"w1 ok", "w2 ok"}, rec.take())
		require.Equal(t, 2, ch.Channel().Pending())
		ch.Pipeline().Flush()
		require.Equal(t, "w3", ch.WireString())
		require.Equal(t, []string{"w3 ok"}, rec.take())
	})
	t.Run("what was written after the flush is not sent with the rest of it", func(t *testing.T) {
		rec := &record{}
		ch := newChannelWith(t, manual())
		ch.AcceptBytes(3)
		send(ch, rec, "flushed")
		ch.Pipeline().Flush()
		send(ch, rec, "not yet") // shares the buffer of its neighbour
		ch.Unblock()
		require.Equal(t, "flushed", ch.WireString())
		require.Equal(t, []string{"flushed ok"}, rec.take())
		require.Equal(t, len("not yet"), ch.Channel().Pending())
	})
	t.Run("with nothing new it does nothing", func(t *testing.T) {
		ch := newChannelWith(t, manual())
		require.NoError(t, ch.WriteOutbound(bytesOf("once")))
		calls := ch.Writevs()
		ch.Pipeline().Flush()
		ch.RunPending()
		require.Equal(t, calls, ch.Writevs())
	})
	t.Run("otherwise the end of the batch flushes, with one system call", func(t *testing.T) {
		ch := newChannel(t, handle(func(ctx *pipeline.Context, msg any) error {
			defer ctx.Release(msg)
			for i := range 10 {
				if err := ctx.Write(pooled(ctx.Channel(), fmt.Sprint(i))); err != nil {
					return err
				}
			}
			return nil
		}))
		require.NoError(t, ch.FeedString("go"))
		require.Equal(t, "0123456789", ch.WireString())
		require.Equal(t, 1, ch.Writevs())
	})
	t.Run("of every channel that the batch wrote to", func(t *testing.T) {
		b := newChannel(t)
		a := newChannel(t, handle(func(_ *pipeline.Context, msg any) error { return b.Pipeline().Write(msg) }))
		require.NoError(t, embedded.Pipe(a, newChannel(t)))
		require.NoError(t, a.WriteInbound(bytesOf("over")))
		b.RunPending()
		require.Equal(t, "over", b.WireString())
	})
	t.Run("flush handlers see the flush of the batch too", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, &flushes{rec}, echo())
		rec.take()
		require.NoError(t, ch.FeedString("x"))
		require.Equal(t, []string{"flush"}, rec.take())
		require.Equal(t, "x", ch.WireString())
	})
}

// flushes records flushes and passes them on.
type flushes struct{ rec *record }

func (f *flushes) HandleFlush(ctx *pipeline.Context) error {
	f.rec.add("flush")
	ctx.Flush()
	return nil
}

func TestO2PromisesCompleteInWriteOrderWhenTheirBytesAreGone(t *testing.T) {
	t.Run("whatever the socket takes at a time", func(t *testing.T) {
		for step := 1; step <= 13; step++ {
			rec := &record{}
			ch := newChannel(t)
			ch.Block()
			send(ch, rec, "four", "", "seven..", "1")
			ch.RunPending()
			require.Empty(t, rec.take())
			done := []string{}
			for sent := 0; sent < 12; {
				n := min(step, 12-sent)
				ch.AcceptBytes(n)
				sent += n
				done = append(done, rec.take()...)
				want := []string{"four ok", " ok", "seven.. ok", "1 ok"}
				switch {
				case sent < 4:
					want = []string{}
				case sent < 11:
					want = want[:2]
				case sent < 12:
					want = want[:3]
				}
				require.Equal(t, want, done, "step %d, sent %d", step, sent)
			}
			require.Equal(t, "fourseven..1", ch.WireString())
		}
	})
	t.Run("also an empty message waits for those before it", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		send(ch, rec, "")
		ch.RunPending()
		require.Equal(t, []string{" ok"}, rec.take())
		ch.Block()
		send(ch, rec, "x", "")
		ch.RunPending()
		require.Empty(t, rec.take())
		ch.Unblock()
		require.Equal(t, []string{"x ok", " ok"}, rec.take())
	})
	t.Run("core-27 what is cancelled before the flush is not sent", func(t *testing.T) {
		rec := &record{}
		ch := newChannelWith(t, manual())
		p := rec.note(ch.Channel(), "cancelled one")
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "never"), p)
		send(ch, rec, "after")
		require.True(t, p.Cancel())
		require.True(t, p.Cancel(), "twice is once")
		ch.Pipeline().Flush()
		require.Equal(t, "after", ch.WireString())
		require.Equal(t, []string{"cancelled one cancelled", "after ok"}, rec.take())
		require.Zero(t, ch.Channel().Pending())
		require.Zero(t, ch.Loop().Pool().Live())
	})
	t.Run("after the flush it is too late", func(t *testing.T) {
		rec := &record{}
		ch := newChannelWith(t, manual())
		ch.Block()
		p := rec.note(ch.Channel(), "p")
		require.False(t, p.Cancel(), "nothing was written")
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "sent"), p)
		ch.Pipeline().Flush()
		require.False(t, p.Cancel())
		ch.Unblock()
		require.Equal(t, "sent", ch.WireString())
		require.Equal(t, []string{"p ok"}, rec.take())
	})
}

func TestO4FailedWritesFailInOrderAndTakeTheirBytes(t *testing.T) {
	t.Run("core-24 flushed ones first, then the others", func(t *testing.T) {
		rec := &record{}
		cfg := manual()
		cfg.Options.WriteHigh, cfg.Options.WriteLow = 4, 2
		ch := newChannelWith(t, cfg, &watches{rec: rec})
		ch.Block()
		send(ch, rec, "flushed")
		ch.Pipeline().Flush()
		send(ch, rec, "unflushed")
		rec.take()
		ch.Pipeline().Close(pipeline.CloseNow, rec.note(ch.Channel(), "close"))
		require.Equal(t, []string{"flushed closed", "unflushed closed", "close ok"}, rec.take())
		require.Zero(t, ch.Loop().Pool().Live())
		ch.RunPending()
		require.Empty(t, rec.take(), "no writability event")
	})
	t.Run("core-25 a listener that closes and writes again", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		ch.Block()
		for i := range 3 {
			p := rec.note(ch.Channel(), fmt.Sprint(i))
			p.OnDone(func(error) {
				send(ch, rec, fmt.Sprintf("again %d", i))
				ch.Pipeline().Close(pipeline.CloseNow, rec.note(ch.Channel(), fmt.Sprintf("close %d", i)))
			})
			ch.Pipeline().WriteWith(pooled(ch.Channel(), "x"), p)
		}
		ch.RunPending()
		ch.FailWrite(syscall.EPIPE)
		require.Equal(t, []string{
			"0 closed", "again 0 closed", "1 closed", "again 1 closed", "close 1 ok", // closed already
			"2 closed", "again 2 closed", "close 2 ok", "close 0 ok",
		}, rec.take())
		require.Zero(t, ch.Loop().Pool().Live())
		require.ErrorIs(t, ch.Channel().Cause(), pipeline.ErrReset)
		require.ErrorIs(t, ch.Channel().Cause(), syscall.EPIPE)
	})
	t.Run("core-26 a write to a closed channel", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		require.NoError(t, ch.Channel().Close())
		ch.RunPending()
		composite := buffer.NewComposite()
		composite.Append(pooled(ch.Channel(), "b"))
		uncoded := &counted{refs: 1}
		for name, msg := range map[string]any{"bytes": pooled(ch.Channel(), "a"), "rope": composite, "message": uncoded} {
			ch.Pipeline().WriteWith(msg, rec.note(ch.Channel(), name))
			require.Equal(t, []string{name + " closed"}, rec.take())
		}
		require.Zero(t, ch.Loop().Pool().Live())
		require.Zero(t, uncoded.refs)
	})
	t.Run("the error says why the channel closed", func(t *testing.T) {
		var got error
		ch := newChannel(t)
		ch.FailWrite(errors.New("cable cut"))
		p := ch.Channel().NewPromise()
		p.OnDone(func(err error) { got = err })
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "x"), p)
		ch.RunPending()
		require.EqualError(t, got, "pipeline: channel closed: cable cut")
		require.ErrorIs(t, got, pipeline.ErrClosed)
		require.ErrorIs(t, got, ch.Channel().Cause())
	})
}

func TestO5OneFlushIsBounded(t *testing.T) {
	t.Run("at most 64 pieces in a system call, at most 16 calls", func(t *testing.T) {
		b := newBare(t, pipeline.Options{ManualFlush: true})
		const messages, size = 64*16 + 10, 600 // too large to be coalesced
		for range messages {
			require.NoError(t, b.Pipeline().Write(pooled(b.Channel, strings.Repeat("x", size))))
		}
		b.Pipeline().Flush()
		require.Len(t, b.wire.calls, 16)
		require.Equal(t, 10*size, b.Pending())
		b.run()
		require.Len(t, b.wire.calls, 17, "the rest after a look at other sockets")
		require.Equal(t, 64, b.wire.calls[0])
		require.Equal(t, 10, b.wire.calls[16])
		require.Len(t, b.wire.out, messages*size)
	})
	t.Run("a listener that writes and flushes without end does not hold up the loop", func(t *testing.T) {
		for _, text := range []string{"x", ""} {
			b := newBare(t, pipeline.Options{ManualFlush: true})
			n := 0
			var again func(error)
			again = func(err error) {
				if n++; err != nil {
					return
				}
				p := b.NewPromise()
				p.OnDone(again)
				b.Pipeline().WriteWith(pooled(b.Channel, text), p)
				b.Pipeline().Flush()
			}
			again(nil)
			require.LessOrEqual(t, n, 40, "text %q", text)
			b.Pipeline().Close(pipeline.CloseNow, nil)
		}
	})
	t.Run("a socket that would block is asked again when it is writable", func(t *testing.T) {
		b := newBare(t, pipeline.Options{})
		b.wire.room = 0
		require.NoError(t, b.Pipeline().Write(bytesOf("x")))
		b.run()
		require.Len(t, b.wire.calls, 1)
		require.True(t, b.wire.writes)
		b.wire.room = -1
		b.run()
		require.Len(t, b.wire.calls, 2)
		require.False(t, b.wire.writes)
	})
}

func TestAFlushThatTheSocketStopsGoesOnByItself(t *testing.T) {
	rec, at := &record{}, &spy{}
	b := newBare(t, pipeline.Options{ManualFlush: true}, at)
	b.Pipeline().WriteWith(pooled(b.Channel, "text"), rec.note(b.Channel, "text"))
	b.run()
	b.wire.room = 2
	require.NoError(t, b.Post(at.ctx.Flush)) // nothing else of this batch concerns the channel
	b.run()
	require.True(t, b.wire.writes)
	b.wire.room = -1
	b.run()
	require.Equal(t, "text", string(b.wire.out))
	require.Equal(t, []string{"text ok"}, rec.take())
	require.False(t, b.wire.writes)
}

func TestWhatListenersDoWhileWritesEnd(t *testing.T) {
	t.Run("what a cancelled write's listener writes is behind the flush", func(t *testing.T) {
		rec := &record{}
		ch := newChannelWith(t, manual())
		p := rec.note(ch.Channel(), "p")
		p.OnDone(func(error) { send(ch, rec, "next time") })
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "never"), p)
		send(ch, rec, "now")
		require.True(t, p.Cancel())
		ch.Pipeline().Flush()
		require.Equal(t, "now", ch.WireString())
		require.Equal(t, []string{"p cancelled", "now ok"}, rec.take())
	})
	t.Run("a message whose bytes are all sent succeeds, also when the channel closes in between", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		p := rec.note(ch.Channel(), "p")
		p.OnDone(func(error) { ch.Pipeline().Close(pipeline.CloseNow, nil) })
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "first"), p)
		send(ch, rec, "sent too", "")
		ch.RunPending()
		require.Equal(t, "firstsent too", ch.WireString())
		require.Equal(t, []string{"p ok", "sent too ok", " ok"}, rec.take())
	})
	t.Run("a listener of a failing write flushes, another write is cancelled", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		cancelled := rec.note(ch.Channel(), "second")
		p := rec.note(ch.Channel(), "first")
		p.OnDone(func(error) { ch.Pipeline().Flush() })
		ch.Block()
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "1"), p)
		ch.RunPending()
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "2"), cancelled)
		require.True(t, cancelled.Cancel())
		ch.Pipeline().Close(pipeline.CloseNow, nil)
		require.Equal(t, []string{"first closed", "second cancelled"}, rec.take())
		require.NoError(t, ch.CheckErr())
	})
}

func TestFlushInsideAFlush(t *testing.T) {
	rec := &record{}
	ch := newChannelWith(t, manual())
	p := rec.note(ch.Channel(), "first")
	p.OnDone(func(error) {
		send(ch, rec, "from the listener")
		ch.Pipeline().Flush()
		send(ch, rec, "not flushed")
		rec.add("listener returns")
	})
	ch.Pipeline().WriteWith(pooled(ch.Channel(), "first"), p)
	send(ch, rec, "second")
	ch.Pipeline().Flush()
	require.Equal(t, "firstsecondfrom the listener", ch.WireString())
	require.Equal(t, []string{"first ok", "listener returns", "second ok", "from the listener ok"}, rec.take())
	require.Equal(t, len("not flushed"), ch.Channel().Pending())
}

func TestAPeerThatTakesNothingIsDropped(t *testing.T) {
	ch := newChannel(t)
	ch.AcceptBytes(3)
	rec := &record{}
	send(ch, rec, strings.Repeat("x", 10))
	ch.RunPending()
	ch.AdvanceTime(pipeline.DefaultWriteStall - time.Second)
	ch.AcceptBytes(1) // progress
	ch.AdvanceTime(2 * time.Second)
	require.False(t, ch.Channel().Closed())
	ch.AdvanceTime(pipeline.DefaultWriteStall)
	require.True(t, ch.Channel().Closed())
	require.ErrorIs(t, ch.Channel().Cause(), pipeline.ErrWriteStall)
	require.Zero(t, ch.PendingTimers())
	require.Equal(t, []string{"xxxxxxxxxx closed"}, rec.take())
}
