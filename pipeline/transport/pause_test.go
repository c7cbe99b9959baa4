package transport

import (
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// sponge counts what comes in, and stops reading after so many bytes, once.
type sponge struct {
	stopAfter int64
	stopped   atomic.Bool
	got       atomic.Int64
	errs      chan error
}

func (s *sponge) HandleRead(ctx *pipeline.Context, msg any) error {
	n := s.got.Add(int64(msg.(*buffer.Buffer).Len()))
	ctx.Release(msg)
	if s.stopAfter > 0 && n >= s.stopAfter && !s.stopped.Swap(true) {
		ctx.SetAutoRead(false)
	}
	return nil
}

func (s *sponge) HandleError(_ *pipeline.Context, err error) error {
	s.errs <- err
	return nil
}

// stable waits until n has not changed for a while.
func stable(t *testing.T, n *atomic.Int64) int64 {
	t.Helper()
	last, since := n.Load(), time.Now()
	eventually(t, "it rests", func() bool {
		if now := n.Load(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 100*time.Millisecond
	})
	return last
}

// pour sends n bytes and counts them.
func pour(c net.Conn, n int, sent *atomic.Int64) error {
	block := make([]byte, 64<<10)
	for left := n; left > 0; {
		k, err := c.Write(block[:min(left, len(block))])
		sent.Add(int64(k))
		left -= k
		if err != nil {
			return err
		}
	}
	return nil
}

func TestCore58PausedChannelTakesNothingAndLosesNothing(t *testing.T) {
	const size = 32 << 20
	in := &sponge{stopAfter: 1 << 20, errs: make(chan error, 8)}
	s := &Server{Init: with(in)}
	serve(t, s)
	c := connectTo(t, s, 0)
	var sent atomic.Int64
	poured := make(chan error, 1)
	go func() { poured <- pour(c, size, &sent) }()
	eventually(t, "it is paused", in.stopped.Load)
	clientRests := stable(t, &sent)
	delivered := in.got.Load()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	over := time.NewTimer(600 * time.Millisecond)
	<-over.C
	runtime.ReadMemStats(&after)
	require.Equal(t, delivered, in.got.Load())
	require.Equal(t, clientRests, sent.Load())
	require.Less(t, clientRests, int64(size))
	require.Less(t, int64(after.HeapInuse)-int64(before.HeapInuse), int64(8<<20))
	ch := one(t, s)
	require.NoError(t, ch.Post(func() { setAutoRead(ch, true) }))
	require.NoError(t, receive(t, poured))
	eventually(t, "everything is delivered", func() bool { return in.got.Load() == size })
}

// setAutoRead turns reading on or off from a posted task.
func setAutoRead(ch *pipeline.Channel, on bool) {
	if _, ctx := pipeline.Find[*sponge](ch.Pipeline()); ctx != nil {
		ctx.SetAutoRead(on)
	}
}

func TestResetIsSeenWhilePaused(t *testing.T) {
	for name, paused := range map[string]func(ctx *pipeline.Context){
		"from the start":   func(ctx *pipeline.Context) { ctx.SetAutoRead(false) },
		"after a while":    func(ctx *pipeline.Context) { ctx.After(time.Millisecond, func() { ctx.SetAutoRead(false) }) },
		"on and off again": func(ctx *pipeline.Context) { ctx.SetAutoRead(false); ctx.SetAutoRead(true); ctx.SetAutoRead(false) },
		"with bytes unread": func(ctx *pipeline.Context) {
			ctx.SetAutoRead(false)
			_ = ctx.Write(buffer.FromString("send something")) // if not, the test fails
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := &sponge{errs: make(chan error, 8)}
			s := &Server{Init: with(active(func(ctx *pipeline.Context) error {
				paused(ctx)
				return nil
			}), in)}
			serve(t, s)
			c := connectTo(t, s, 0)
			ch := one(t, s)
			eventually(t, "it is paused", func() bool {
				auto := true
				onLoop(t, ch, func() { auto = ch.AutoRead() })
				return !auto
			})
			if name == "with bytes unread" {
				_, err := io.ReadFull(c, make([]byte, len("send something")))
				require.NoError(t, err)
				_, err = io.WriteString(c, "nobody reads this")
				require.NoError(t, err)
				for range 20 { // the loop comes to know of the bytes
					onLoop(t, ch, func() {})
				}
			}
			require.NoError(t, c.(*net.TCPConn).SetLinger(0))
			require.NoError(t, c.Close())
			require.ErrorIs(t, receive(t, in.errs), pipeline.ErrReset)
			eventually(t, "closed", ch.Closed)
			require.Zero(t, in.got.Load())
		})
	}
}

func TestFinIsNotSeenWhilePausedAndCostsNothing(t *testing.T) {
	in := &sponge{errs: make(chan error, 8)}
	s := &Server{Loops: 1, Init: with(active(func(ctx *pipeline.Context) error {
		ctx.SetAutoRead(false)
		return nil
	}), in)}
	serve(t, s)
	c := connectTo(t, s, 0)
	_, err := io.WriteString(c, "last words")
	require.NoError(t, err)
	require.NoError(t, c.Close())
	ch := one(t, s)
	rounds := ch.Loop().Busy()
	pause := time.NewTimer(200 * time.Millisecond)
	<-pause.C
	require.Less(t, ch.Loop().Busy()-rounds, uint64(40), "the loop does not spin")
	require.False(t, ch.Closed())
	require.NoError(t, ch.Post(func() { setAutoRead(ch, true) }))
	eventually(t, "closed", ch.Closed)
	require.Equal(t, int64(len("last words")), in.got.Load())
}

func TestResetIsSeenAfterTheFin(t *testing.T) {
	in := &sponge{errs: make(chan error, 8)}
	fin := make(chan struct{}, 1)
	s := &Server{Options: pipeline.Options{AllowHalfClose: true}, Init: with(in, readClosed(func(*pipeline.Context) error {
		fin <- struct{}{}
		return nil
	}))}
	serve(t, s)
	c := connectTo(t, s, 0)
	require.NoError(t, c.(*net.TCPConn).CloseWrite())
	receive(t, fin)
	ch := one(t, s)
	require.NoError(t, c.(*net.TCPConn).SetLinger(0))
	require.NoError(t, c.Close())
	require.ErrorIs(t, receive(t, in.errs), pipeline.ErrReset)
	eventually(t, "closed", ch.Closed)
}

func TestRequestedReadsComeOneBatchAtATime(t *testing.T) {
	in := &sponge{errs: make(chan error, 8)}
	s := &Server{Options: pipeline.Options{MaxReads: 1}, Init: with(active(func(ctx *pipeline.Context) error {
		ctx.SetAutoRead(false)
		return nil
	}), in)}
	serve(t, s)
	c := connectTo(t, s, 0)
	ch := one(t, s)
	for i := range 50 {
		_, err := c.Write([]byte{1})
		require.NoError(t, err)
		require.Equal(t, int64(i), in.got.Load())
		require.NoError(t, ch.Post(func() { ch.Pipeline().Read() }))
		eventually(t, "one more", func() bool { return in.got.Load() == int64(i+1) })
	}
}
