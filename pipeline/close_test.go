package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/stretchr/testify/require"
)

// ends records how a channel ends and passes everything on.
type ends struct {
	life
	onReadClosed func(*pipeline.Context)
}

func (e *ends) HandleReadClosed(ctx *pipeline.Context) error {
	e.rec.add("read closed")
	if e.onReadClosed != nil {
		e.onReadClosed(ctx)
	}
	ctx.FireReadClosed()
	return nil
}

func (e *ends) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	e.rec.add("close " + how.String())
	return ctx.ForwardClose(how, p)
}

// newEnding makes a channel with an ends whose beginning is forgotten.
func newEnding(t *testing.T, opts pipeline.Options, handlers ...pipeline.Handler) (*embedded.Channel, *ends) {
	t.Helper()
	e := &ends{life: life{"E", &record{}}}
	ch := newChannelWith(t, embedded.Config{Options: opts}, append([]pipeline.Handler{e}, handlers...)...)
	e.rec.take()
	return ch, e
}

func halfClose() pipeline.Options { return pipeline.Options{AllowHalfClose: true} }

func TestH1HalfClosure(t *testing.T) {
	t.Run("off: the peer's FIN closes the channel", func(t *testing.T) {
		ch, e := newEnding(t, pipeline.Options{})
		ch.PeerClose()
		require.Equal(t, []string{"read closed", "close drain", "inactive E", "removed E"}, e.rec.take())
		require.True(t, ch.FINSent())
		require.NoError(t, ch.Channel().Cause())
	})
	t.Run("off: what was written goes out before", func(t *testing.T) {
		ch, e := newEnding(t, pipeline.Options{}, echo())
		ch.FINAt(len("last words"))
		require.NoError(t, ch.FeedString("last words"))
		require.Equal(t, "last words", ch.WireString())
		require.Equal(t, []string{"read E", "complete E", "read closed", "close drain", "inactive E", "removed E"}, e.rec.take())
	})
	t.Run("on: heard once, and writes go on", func(t *testing.T) {
		ch, e := newEnding(t, halfClose())
		ch.PeerClose()
		for range 3 {
			ch.Channel().ReadReady() // a FIN stays readable for ever
		}
		require.Equal(t, []string{"read closed"}, e.rec.take())
		reads, _ := ch.Interest()
		require.False(t, reads, "or the poller would report it in a storm")
		require.NoError(t, ch.WriteOutbound(bytesOf("reply")))
		require.Equal(t, "reply", ch.WireString())
		require.NoError(t, ch.Channel().Close())
		ch.RunPending()
		require.Equal(t, []string{"close drain", "inactive E", "removed E"}, e.rec.take())
	})
	t.Run("a write-side close sends what is queued, then FIN, and reads on", func(t *testing.T) {
		for _, manual := range []bool{false, true} {
			opts := halfClose()
			opts.ManualFlush = manual
			ch, e := newEnding(t, opts, &flushes{&record{}})
			ch.AcceptBytes(2)
			send(ch, e.rec, "queued")
			ch.Pipeline().Close(pipeline.CloseWrite, e.rec.note(ch.Channel(), "half"))
			send(ch, e.rec, "late")
			ch.RunPending()
			require.False(t, ch.FINSent())
			ch.Unblock()
			require.True(t, ch.FINSent())
			require.Equal(t, "queued", ch.WireString())
			require.Equal(t, []string{"close write", "late write closed", "queued ok", "half ok"}, e.rec.take())
			require.NoError(t, ch.FeedString("still read"))
			require.Equal(t, []string{"read E", "complete E"}, e.rec.take())
			ch.Pipeline().Close(pipeline.CloseWrite, e.rec.note(ch.Channel(), "again"))
			ch.RunPending()
			require.Equal(t, []string{"close write", "again ok"}, e.rec.take())
		}
	})
	t.Run("both sides down closes, in either order", func(t *testing.T) {
		ch, e := newEnding(t, halfClose())
		ch.Pipeline().Close(pipeline.CloseWrite, nil)
		ch.PeerClose()
		require.Equal(t, []string{"close write", "read closed", "close drain", "inactive E", "removed E"}, e.rec.take())

		ch, e = newEnding(t, halfClose())
		ch.PeerClose()
		ch.Pipeline().Close(pipeline.CloseWrite, e.rec.note(ch.Channel(), "half"))
		ch.RunPending()
		require.Equal(t, []string{"read closed", "close write", "half ok", "inactive E", "removed E"}, e.rec.take())
	})
	t.Run("handlers that hold flushes back hold no close back", func(t *testing.T) {
		for _, how := range []pipeline.CloseMode{pipeline.CloseWrite, pipeline.CloseDrain} {
			ch, _ := newEnding(t, halfClose(), &holdsFlushes{})
			require.NoError(t, ch.Pipeline().Write(bytesOf("queued")))
			ch.RunPending()
			require.Empty(t, ch.WireString())
			ch.Pipeline().Close(how, nil)
			ch.RunPending()
			require.Equal(t, "queued", ch.WireString())
			require.True(t, ch.FINSent())
		}
	})
	t.Run("a half-close that a close overtakes fails", func(t *testing.T) {
		ch, e := newEnding(t, halfClose())
		ch.Block()
		send(ch, e.rec, "x")
		ch.Pipeline().Close(pipeline.CloseWrite, e.rec.note(ch.Channel(), "half"))
		ch.Pipeline().Close(pipeline.CloseNow, nil)
		ch.RunPending()
		require.Equal(t, []string{"close write", "close now", "x closed", "half closed", "inactive E", "removed E"}, e.rec.take())
	})
}

type holdsFlushes struct{}

func (*holdsFlushes) HandleFlush(*pipeline.Context) error { return nil }

func TestH2TheFINGoesThroughThePipeline(t *testing.T) {
	t.Run("a handler may hold it back", func(t *testing.T) {
		rec := &record{}
		ch := newChannelWith(t, embedded.Config{Options: halfClose()}, &holdsFin{}, &ends{life: life{"E", rec}})
		rec.take()
		ch.PeerClose()
		require.Empty(t, rec.take())
		h, ctx := pipeline.Find[*holdsFin](ch.Pipeline())
		require.True(t, h.held)
		ctx.FireReadClosed()
		require.Equal(t, []string{"read closed"}, rec.take())
	})
	t.Run("a handler may close otherwise than by draining", func(t *testing.T) {
		ch, e := newEnding(t, pipeline.Options{})
		e.onReadClosed = func(ctx *pipeline.Context) { ctx.CloseWith(pipeline.CloseNow, nil) }
		ch.PeerClose()
		require.Equal(t, []string{"read closed", "inactive E", "removed E"}, e.rec.take())
		require.False(t, ch.FINSent())
	})
}

type holdsFin struct{ held bool }

func (h *holdsFin) HandleReadClosed(*pipeline.Context) error {
	h.held = true
	return nil
}

func TestH3AutoReadOffHidesTheFINButNotTheRST(t *testing.T) {
	t.Run("the FIN is seen with the next read", func(t *testing.T) {
		ch, e := newEnding(t, halfClose())
		ctx := ch.Pipeline().ContextOf(e)
		ctx.SetAutoRead(false)
		ch.RunPending()
		ch.PeerClose()
		require.Empty(t, e.rec.take())
		ctx.Read()
		ch.RunPending()
		require.Equal(t, []string{"read closed"}, e.rec.take())
	})
	t.Run("the RST is seen at once", func(t *testing.T) {
		ch, e := newEnding(t, halfClose())
		ch.Pipeline().ContextOf(e).SetAutoRead(false)
		ch.RunPending()
		ch.PeerReset()
		require.Equal(t, []string{"inactive E", "removed E"}, e.rec.take())
		require.ErrorIs(t, ch.Channel().Cause(), pipeline.ErrReset)
		require.NoError(t, ch.CheckErr(), "a reset is told to error handlers, and is no error of the program")
	})
}

func TestH4AWriteErrorClosesButWhatThePeerSentIsReadFirst(t *testing.T) {
	for _, inside := range []bool{false, true} {
		t.Run(fmt.Sprintf("flush inside a read: %v", inside), func(t *testing.T) {
			c := &catcher{}
			var got []string
			app := handle(func(ctx *pipeline.Context, msg any) error {
				b := msg.(interface{ Bytes() []byte })
				got = append(got, string(b.Bytes()))
				ctx.Release(msg)
				if len(got) > 1 {
					return nil
				}
				if err := ctx.Write(pooled(ctx.Channel(), strings.Repeat("x", 11))); err != nil {
					return err
				}
				if inside {
					ctx.Flush()
				}
				return nil
			})
			cfg := narrow()
			cfg.Options.MaxReads = 1
			ch := newChannelWith(t, cfg, app, c)
			ch.ShortReads(4)
			ch.FailWrite(syscall.EPIPE)
			require.NoError(t, ch.FeedString("onetwothreefour"))
			require.Equal(t, "onetwothreefour", strings.Join(got, ""))
			require.True(t, ch.Channel().Closed())
			require.ErrorIs(t, ch.Channel().Cause(), syscall.EPIPE)
			require.Len(t, c.errs, 1, "told once")
			require.ErrorIs(t, c.errs[0], pipeline.ErrReset)
		})
	}
	t.Run("what a handler held back while the queue was full, too", func(t *testing.T) {
		rec := &record{}
		h := &holdsReads{}
		ch := newChannelWith(t, narrow(), h, &life{"A", rec})
		ch.Block()
		require.NoError(t, ch.Pipeline().Write(bytesOf("eleven byte")))
		ch.Channel().Inject(func(p *pipeline.Pipeline) { p.FireRead(pooled(ch.Channel(), "held")) })
		rec.take()
		ch.FailWrite(syscall.EPIPE)
		require.Equal(t, []string{"read A", "inactive A", "removed A"}, rec.take())
		buffer.Release(ch.ReadInbound())
	})
	t.Run("writes in between fail with the closed error", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		p := rec.note(ch.Channel(), "first")
		p.OnDone(func(error) { send(ch, rec, "second") })
		ch.Pipeline().WriteWith(pooled(ch.Channel(), "first"), p)
		ch.FailWrite(syscall.EPIPE)
		require.Equal(t, []string{"first closed", "second closed"}, rec.take())
	})
	t.Run("a socket that takes nothing and does not block is broken", func(t *testing.T) {
		b := newBare(t, pipeline.Options{})
		b.wire.fails = errors.New("no buffer space")
		b.feed("x")
		require.NoError(t, b.Pipeline().Write(bytesOf("y")))
		b.run()
		require.EqualError(t, b.Cause(), "no buffer space")
	})
}

// holdsReads keeps what comes while nobody wants it, as decoders do.
type holdsReads struct{ held []any }

func (h *holdsReads) HandleRead(ctx *pipeline.Context, msg any) error {
	if !ctx.Channel().Reading() {
		h.held = append(h.held, msg)
		return nil
	}
	ctx.FireRead(msg)
	return nil
}

func (h *holdsReads) HandleReadRequest(ctx *pipeline.Context) error {
	for _, msg := range h.held {
		ctx.FireRead(msg)
	}
	h.held = nil
	ctx.Read()
	return nil
}

func TestH5ClosingTwiceIsClosingOnce(t *testing.T) {
	t.Run("core-20 three closes, one of them from another goroutine", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t, &life{"A", rec}, &life{"B", rec})
		rec.take()
		ch.Pipeline().Close(pipeline.CloseDrain, rec.note(ch.Channel(), "p1"))
		p3 := rec.note(ch.Channel(), "p3")
		var others sync.WaitGroup
		others.Go(func() { ch.Channel().CloseWith(pipeline.CloseDrain, p3) })
		others.Wait()
		ch.Pipeline().Close(pipeline.CloseDrain, rec.note(ch.Channel(), "p2"))
		ch.RunPending()
		require.Equal(t, []string{"p1 ok", "p2 ok", "p3 ok", "inactive A", "inactive B", "removed B", "removed A"}, rec.take())
		ch.Pipeline().Close(pipeline.CloseNow, rec.note(ch.Channel(), "p4"))
		require.Equal(t, []string{"p4 ok"}, rec.take(), "closed already")
	})
	t.Run("a stronger close overtakes a draining one", func(t *testing.T) {
		for how, rst := range map[pipeline.CloseMode]bool{pipeline.CloseNow: false, pipeline.CloseReset: true} {
			rec := &record{}
			ch := newChannel(t)
			ch.Block()
			send(ch, rec, "never")
			ch.Pipeline().Close(pipeline.CloseDrain, rec.note(ch.Channel(), "drain"))
			ch.RunPending()
			require.Empty(t, rec.take())
			ch.Pipeline().Close(how, rec.note(ch.Channel(), "hard"))
			require.Equal(t, []string{"never closed", "drain ok", "hard ok"}, rec.take())
			require.Equal(t, rst, ch.ResetSent())
		}
	})
}

func TestO7CloseDrainsByDefault(t *testing.T) {
	t.Run("queued bytes, then FIN, then the peer's FIN", func(t *testing.T) {
		for _, manual := range []bool{false, true} {
			ch, e := newEnding(t, pipeline.Options{ManualFlush: manual})
			ch.PeerLingers(true)
			ch.AcceptBytes(3)
			send(ch, e.rec, "queued")
			ch.Pipeline().Close(pipeline.CloseDrain, e.rec.note(ch.Channel(), "close"))
			send(ch, e.rec, "late")
			ch.RunPending()
			require.Equal(t, []string{"close drain", "late closed"}, e.rec.take())
			ch.Unblock()
			require.Equal(t, "queued", ch.WireString())
			require.True(t, ch.FINSent())
			require.Equal(t, []string{"queued ok"}, e.rec.take())
			require.NoError(t, ch.FeedString("nobody reads this"))
			require.Zero(t, ch.Unread(), "but it is taken, so that the peer is not stuck in writing")
			ch.PeerClose()
			require.Equal(t, []string{"close ok", "inactive E", "removed E"}, e.rec.take())
		}
	})
	t.Run("a peer that does not answer is waited for as long as Linger says", func(t *testing.T) {
		ch, e := newEnding(t, pipeline.Options{})
		ch.PeerLingers(true)
		require.NoError(t, ch.Channel().Close())
		ch.AdvanceTime(pipeline.DefaultLinger - time.Millisecond)
		require.Equal(t, []string{"close drain"}, e.rec.take())
		ch.AdvanceTime(time.Millisecond)
		require.Equal(t, []string{"inactive E", "removed E"}, e.rec.take())
		require.NoError(t, ch.Channel().Cause())
	})
	t.Run("over a socket that can't half-close it closes when all is sent", func(t *testing.T) {
		rec := &record{}
		b := newBare(t, pipeline.Options{})
		b.wire.unable = fmt.Errorf("pipe: %w", errors.ErrUnsupported)
		b.wire.room = 0
		b.Pipeline().WriteWith(pooled(b.Channel, "all"), rec.note(b.Channel, "write"))
		b.Pipeline().Close(pipeline.CloseWrite, rec.note(b.Channel, "half"))
		b.Pipeline().Close(pipeline.CloseDrain, rec.note(b.Channel, "close"))
		b.run()
		require.Empty(t, rec.take())
		b.wire.room = -1
		b.run()
		require.Equal(t, []string{"write ok", "half pipe: unsupported operation", "close ok"}, rec.take())
		require.True(t, b.Closed())
	})
	t.Run("a reset ends the waiting for the peer's FIN", func(t *testing.T) {
		ch, e := newEnding(t, pipeline.Options{})
		ch.PeerLingers(true)
		require.NoError(t, ch.Channel().Close())
		ch.RunPending()
		ch.PeerReset()
		require.Equal(t, []string{"close drain", "inactive E", "removed E"}, e.rec.take())
		require.ErrorIs(t, ch.Channel().Cause(), pipeline.ErrReset)
		require.EqualError(t, ch.Channel().Cause(), "pipeline: connection reset: connection reset by peer")
		require.NoError(t, ch.CheckErr())
	})
	t.Run("a FIN that fails ends the channel", func(t *testing.T) {
		b := newBare(t, pipeline.Options{})
		b.wire.unable = syscall.ENOTCONN
		b.Pipeline().Close(pipeline.CloseDrain, nil)
		b.run()
		require.True(t, b.Closed())
		require.Equal(t, syscall.ENOTCONN, b.Cause())
	})
}

func TestCloseModesHaveNames(t *testing.T) {
	var names []string
	for how := pipeline.CloseDrain; how <= pipeline.CloseReset+1; how++ {
		names = append(names, how.String())
	}
	require.Equal(t, []string{"drain", "now", "write", "reset", "unknown"}, names)
}

func TestACloseHandlerMayHoldOrRefuseTheClose(t *testing.T) {
	rec := &record{}
	hold := &holdsClose{}
	ch := newChannel(t, hold, &life{"A", rec})
	rec.take()
	ch.Pipeline().Close(pipeline.CloseDrain, rec.note(ch.Channel(), "close"))
	ch.RunPending()
	require.Empty(t, rec.take())
	require.NoError(t, hold.release())
	ch.RunPending()
	require.Equal(t, []string{"close ok", "inactive A", "removed A"}, rec.take())

	bad := errors.New("can't")
	ch = newChannel(t, &refusesClose{bad}, &life{"A", rec})
	rec.take()
	ch.Pipeline().Close(pipeline.CloseDrain, rec.note(ch.Channel(), "close"))
	ch.RunPending()
	require.Equal(t, []string{"close can't", "inactive A", "removed A"}, rec.take(), "nothing keeps a socket open by failing")
	require.Same(t, bad, ch.Channel().Cause())
}

// holdsClose keeps a close until release.
type holdsClose struct{ release func() error }

func (h *holdsClose) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	h.release = func() error { return ctx.ForwardClose(how, p) }
	return nil
}

type refusesClose struct{ err error }

func (r *refusesClose) HandleClose(*pipeline.Context, pipeline.CloseMode, *pipeline.Promise) error {
	return r.err
}
