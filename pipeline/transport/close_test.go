package transport

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// active makes a handler of a function that runs once the channel is connected.
type active func(ctx *pipeline.Context) error

func (a active) HandleActive(ctx *pipeline.Context) error { return a(ctx) }

// readClosed makes a handler of a function that runs at the peer's FIN.
type readClosed func(ctx *pipeline.Context) error

func (r readClosed) HandleReadClosed(ctx *pipeline.Context) error { return r(ctx) }

// with adds handlers to each channel.
func with(handlers ...pipeline.Handler) func(*pipeline.Channel) error {
	return func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(handlers...) }
}

// readSlowly reads to the end in small pieces, and gives each to look with its offset.
func readSlowly(c net.Conn, look func(at int, piece []byte)) (total int, err error) {
	piece := make([]byte, 24<<10)
	for {
		n, err := c.Read(piece)
		look(total, piece[:n])
		total += n
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

func TestCore57DrainedCloseDeliversEverythingToASlowReader(t *testing.T) {
	const size, messages = 64 << 20, 1024
	block := fill(size / messages)
	var succeeded, failed, late atomic.Int64
	var closed atomic.Bool
	s := &Server{
		Options: pipeline.Options{HardCap: 128 << 20},
		Init: with(active(func(ctx *pipeline.Context) error {
			for range messages {
				b := ctx.Alloc(len(block))
				b.Append(block)
				p := ctx.NewPromise()
				p.OnDone(func(err error) {
					if err != nil {
						failed.Add(1)
					} else if succeeded.Add(1); closed.Load() {
						late.Add(1)
					}
				})
				ctx.WriteWith(b, p)
			}
			p := ctx.NewPromise()
			p.OnDone(func(error) { closed.Store(true) })
			ctx.CloseWith(pipeline.CloseDrain, p)
			return nil
		})),
	}
	serve(t, s)
	total, err := readSlowly(connectTo(t, s, 0), func(at int, piece []byte) {
		for i := 0; i < len(piece); {
			from := (at + i) % len(block)
			n := min(len(piece)-i, len(block)-from)
			if !bytes.Equal(piece[i:i+n], block[from:from+n]) {
				require.FailNow(t, "wrong bytes", "near %d", at+i)
			}
			i += n
		}
	})
	require.NoError(t, err)
	require.Equal(t, size, total)
	require.Equal(t, int64(messages), succeeded.Load())
	require.Zero(t, failed.Load())
	require.Zero(t, late.Load(), "writes complete before the close")
	eventually(t, "the close completes", closed.Load)
	eventually(t, "the channel is gone", func() bool { return s.Channels().Len() == 0 && s.Stats().Open == 0 })
}

func TestCloseResetIsSeenAsReset(t *testing.T) {
	s := &Server{Init: with(pipeline.OnLend(func(ctx *pipeline.Context, _ *buffer.Buffer) error {
		ctx.CloseWith(pipeline.CloseReset, nil)
		return nil
	}))}
	serve(t, s)
	c := connectTo(t, s, 0)
	_, err := c.Write([]byte("x"))
	require.NoError(t, err)
	_, err = c.Read(make([]byte, 1))
	require.ErrorIs(t, err, syscall.ECONNRESET)
}

func TestCloseNowDropsWhatIsQueued(t *testing.T) {
	dropped := make(chan error, 1)
	s := &Server{Init: with(active(func(ctx *pipeline.Context) error {
		p := ctx.NewPromise()
		p.OnDone(func(err error) { dropped <- err })
		b := ctx.Alloc(8 << 20)
		b.Append(make([]byte, 8<<20))
		ctx.WriteWith(b, p)
		ctx.Flush()
		ctx.CloseWith(pipeline.CloseNow, nil)
		return nil
	}))}
	serve(t, s)
	c := connectTo(t, s, 0)
	require.ErrorIs(t, receive(t, dropped), net.ErrClosed)
	n, _ := io.Copy(io.Discard, c)
	require.Less(t, n, int64(8<<20))
}

func TestCore56ReplyAfterThePeersFinArrives(t *testing.T) {
	closes := make(chan struct{}, 8)
	s := &Server{Options: pipeline.Options{AllowHalfClose: true}, Init: with(&lateReply{closes: closes})}
	serve(t, s, "tcp://127.0.0.1:0", "unix://"+t.TempDir()+"/s")
	for i := range s.Addrs() {
		c := connectTo(t, s, i)
		_, err := io.WriteString(c, "hello")
		require.NoError(t, err)
		require.NoError(t, c.(interface{ CloseWrite() error }).CloseWrite())
		all, err := io.ReadAll(c)
		require.NoError(t, err)
		require.Equal(t, "reply:hello", string(all))
		receive(t, closes)
		eventually(t, "closed after both sides", func() bool { return s.Channels().Len() == 0 })
		require.Empty(t, closes, "the peer's FIN is told once")
	}
}

// lateReply answers 100 ms after the peer's FIN.
type lateReply struct{ closes chan struct{} }

func (l *lateReply) HandleRead(ctx *pipeline.Context, msg any) error {
	text := string(msg.(*buffer.Buffer).Bytes())
	ctx.Release(msg)
	ctx.After(100*time.Millisecond, func() {
		if ctx.Write(buffer.FromString("reply:"+text)) == nil {
			ctx.Close()
		}
	})
	return nil
}

func (l *lateReply) HandleReadClosed(ctx *pipeline.Context) error {
	l.closes <- struct{}{}
	ctx.FireReadClosed()
	return nil
}

func TestPeerCanAnswerAfterOurFin(t *testing.T) {
	got := make(chan string, 1)
	s := &Server{Init: with(
		active(func(ctx *pipeline.Context) error {
			if err := ctx.Write(buffer.FromString("question")); err != nil {
				return err
			}
			ctx.CloseWith(pipeline.CloseWrite, nil)
			return nil
		}),
		pipeline.OnLend(func(_ *pipeline.Context, b *buffer.Buffer) error {
			got <- string(b.Bytes())
			return nil
		}),
	)}
	serve(t, s)
	c := connectTo(t, s, 0)
	question, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Equal(t, "question", string(question))
	_, err = io.WriteString(c, "answer")
	require.NoError(t, err)
	require.Equal(t, "answer", receive(t, got))
	require.NoError(t, c.Close())
	eventually(t, "closed after both sides", func() bool { return s.Channels().Len() == 0 })
}
