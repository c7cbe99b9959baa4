package transport_test

import (
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// halfCloseBehaviours are about ending one direction.
var halfCloseBehaviours = []behaviour{
	{"the peer ends its side, ours goes on", halfClose, peerEndsFirst},
	{"we end our side, the peer's goes on", halfClose, weEndFirst},
	{"a reply that takes its time after the peer's end arrives", halfClose, delayedReply},
	{"without half-close the peer's end closes after the replies", halfClose, endClosesAfterReplies},
	{"a drained close ends after the linger time", 0, lingerEnds},
}

func peerEndsFirst(s *stage) {
	t := s.t
	p := &probe{}
	w := s.connect(pipeline.Options{AllowHalfClose: true}, p)
	w.send("request")
	w.closeWrite()
	w.await("the end is seen", p.saw("readClosed"))
	require.Equal(t, "request", p.read())
	w.rounds()
	w.do(func() { require.True(t, w.ch.IsOpen()) })
	w.write(100_000)
	require.Len(t, w.recv(100_000), 100_000)
	w.ch.CloseWith(pipeline.CloseWrite, nil)
	rest, err := w.recvAll()
	require.NoError(t, err)
	require.Empty(t, rest)
	w.closed()
	require.Equal(t, 1, p.count("readClosed"))
	require.NoError(t, w.cause())
}

func weEndFirst(s *stage) {
	t := s.t
	p := &probe{}
	w := s.connect(pipeline.Options{}, p)
	var ended atomic.Bool
	w.do(func() {
		require.NoError(t, w.ch.Pipeline().Write(bytesOf(pattern(someMiB))))
		done := w.ch.NewPromise()
		done.OnDone(func(err error) { ended.Store(err == nil) })
		w.ch.Pipeline().Close(pipeline.CloseWrite, done)
		require.ErrorIs(t, w.ch.Pipeline().Write(bytesOf("late")), pipeline.ErrWriteClosed)
		require.ErrorIs(t, w.ch.Pipeline().Write(bytesOf("late")), net.ErrClosed)
	})
	all, err := w.recvAll()
	require.NoError(t, err)
	require.Len(t, all, someMiB)
	w.await("the promise of our end is complete", ended.Load)
	w.send(pattern(300_000))
	w.await("we still read", p.has(300_000))
	require.Zero(t, p.count("readClosed"))
	w.peer.close()
	w.closed()
	require.Equal(t, 1, p.count("readClosed"))
	require.NoError(t, w.cause())
}

func delayedReply(s *stage) {
	t := s.t
	p := &probe{}
	p.onReadClosed = func(ctx *pipeline.Context) {
		ctx.After(30*time.Millisecond, func() {
			if err := ctx.Write(bytesOf("reply")); err != nil {
				p.fail(err)
			}
			ctx.Close()
		})
	}
	w := s.connect(pipeline.Options{AllowHalfClose: true}, p)
	w.send("request")
	w.closeWrite()
	w.await("the end is seen", p.saw("readClosed"))
	s.back.advance(30 * time.Millisecond)
	all, err := w.recvAll()
	require.NoError(t, err)
	require.Equal(t, "reply", all)
	w.closed()
	require.Empty(t, p.failures())
}

func endClosesAfterReplies(s *stage) {
	t := s.t
	p := &probe{}
	p.onRead = func(ctx *pipeline.Context, b *buffer.Buffer) error {
		n := strings.Count(string(b.Bytes()), "?")
		b.Release()
		return ctx.Write(bytesOf(strings.Repeat("!", n*someMiB/8)))
	}
	w := s.connect(pipeline.Options{}, p)
	w.send("????????")
	w.closeWrite()
	all, err := w.recvAll()
	require.NoError(t, err)
	require.Len(t, all, someMiB)
	w.closed()
	require.Equal(t, 1, p.count("readClosed"))
	require.NoError(t, w.cause())
}

func lingerEnds(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{Linger: 40 * time.Millisecond}, &probe{})
	w.ch.CloseWith(pipeline.CloseDrain, nil)
	w.rounds()
	s.back.advance(40 * time.Millisecond)
	w.closed() // although the peer never ends its side
	require.NoError(t, w.cause())
}
