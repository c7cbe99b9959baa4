package transport_test

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// closeBehaviours are about ends that we want.
var closeBehaviours = []behaviour{
	{"a drained close delivers everything", 0, drainDelivers},
	{"a drained close delivers while the peer only writes", 0, drainDeliversToBusyPeer},
	{"CloseNow drops the queue and fails its promises", 0, closeNowDrops},
	{"CloseReset is seen by the peer", abort, closeResetIsSeen},
	{"writes after a close fail and release", 0, writesAfterClose},
	{"a close inside any callback is not re-entered", 0, closeInCallbacks},
	{"closing twice completes both promises", 0, closeTwice},
	{"a group waits for its channels", 0, groupWaits},
}

func drainDelivers(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	var closed atomic.Bool
	w.do(func() {
		for range 64 {
			require.NoError(t, w.ch.Pipeline().Write(bytesOf(pattern(someMiB/64))))
		}
		done := w.ch.NewPromise()
		done.OnDone(func(err error) { closed.Store(err == nil) })
		w.ch.Pipeline().Close(pipeline.CloseDrain, done)
	})
	all, err := w.recvAll()
	require.NoError(t, err)
	require.Len(t, all, someMiB)
	w.peer.close()
	w.closed()
	require.True(t, closed.Load())
	require.NoError(t, w.cause())
	require.Zero(t, w.probe.count("writable"), "no event after the close has begun")
}

func drainDeliversToBusyPeer(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	w.do(func() {
		require.NoError(t, w.ch.Pipeline().Write(bytesOf(pattern(someMiB))))
		w.ch.Pipeline().Close(pipeline.CloseDrain, nil)
	})
	w.send(pattern(someMiB / 2)) // the channel takes and drops it
	require.Len(t, w.recv(someMiB), someMiB)
	require.Zero(t, w.probe.count("read"))
	w.peer.close()
	w.closed()
}

func closeNowDrops(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	var order []string
	w.do(func() {
		written, closed := w.ch.NewPromise(), w.ch.NewPromise()
		written.OnDone(func(err error) {
			require.ErrorIs(t, err, net.ErrClosed)
			order = append(order, "written")
			w.probe.note("failed")
		})
		closed.OnDone(func(err error) {
			require.NoError(t, err)
			order = append(order, "closed")
		})
		w.ch.Pipeline().WriteWith(bytesOf(pattern(someMiB)), written)
		w.ch.Pipeline().Close(pipeline.CloseNow, closed)
	})
	got, _ := w.recvAll() // the end may be of either kind
	require.Less(t, len(got), someMiB)
	w.closed()
	w.do(func() { require.Equal(t, []string{"written", "closed"}, order) })
	require.Equal(t, []string{"added", "active", "unwritable", "failed", "inactive", "removed"}, w.probe.all())
}

func closeResetIsSeen(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{onRead: echo})
	w.send("x")
	require.Equal(t, "x", w.recv(1))
	w.ch.CloseWith(pipeline.CloseReset, nil)
	w.closed()
	_, err := w.recvAll()
	require.Error(t, err, "the peer sees no orderly end")
	require.ErrorIs(t, w.cause(), pipeline.ErrReset)
}

// parcel counts its references.
type parcel struct{ refs atomic.Int32 }

func newParcel() *parcel {
	p := &parcel{}
	p.refs.Store(1)
	return p
}

// Retain implements buffer.Counted.
func (p *parcel) Retain() { p.refs.Add(1) }

// Release implements buffer.Counted.
func (p *parcel) Release() { p.refs.Add(-1) }

func writesAfterClose(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	first, second := newParcel(), newParcel()
	w.do(func() {
		w.ch.Pipeline().Close(pipeline.CloseDrain, nil)
		require.ErrorIs(t, w.ch.Pipeline().Write(first), net.ErrClosed)
		require.ErrorIs(t, w.ch.Pipeline().Write(bytesOf("x")), net.ErrClosed)
	})
	require.Zero(t, first.refs.Load(), "references while it drains")
	w.peer.close()
	w.closed()
	answers := make(chan error, 2)
	for _, msg := range []any{second, bytesOf("x")} {
		promise := w.ch.NewPromise()
		promise.OnDone(func(err error) { answers <- err })
		require.NoError(t, w.ch.Send(msg, promise))
	}
	w.await("both have failed", func() bool { return len(answers) == 2 })
	require.ErrorIs(t, <-answers, net.ErrClosed)
	require.ErrorIs(t, <-answers, net.ErrClosed)
	require.Zero(t, second.refs.Load(), "references after the close")
}

func closeInCallbacks(s *stage) {
	closeIt := func(ctx *pipeline.Context) {
		ctx.CloseWith(pipeline.CloseNow, nil)
		ctx.CloseWith(pipeline.CloseReset, nil)
		ctx.Close()
	}
	probes := map[string]*probe{
		"active":       {onActive: closeIt},
		"read":         {onRead: func(ctx *pipeline.Context, b *buffer.Buffer) error { closeIt(ctx); return ctx.Write(b) }},
		"readComplete": {onReadComplete: closeIt},
		"unwritable":   {onWritability: closeIt},
		"inactive":     {onReadComplete: closeIt, onInactive: closeIt},
		"removed":      {onReadComplete: closeIt, onRemoved: closeIt},
		"error": {
			onReadComplete: func(ctx *pipeline.Context) { ctx.Pipeline().FireError(net.ErrClosed) },
			onError:        func(ctx *pipeline.Context, _ error) error { closeIt(ctx); return nil },
		},
		"promise": {onReadComplete: func(ctx *pipeline.Context) {
			written := ctx.NewPromise()
			written.OnDone(func(error) { closeIt(ctx) })
			ctx.WriteWith(bytesOf("reply"), written)
		}},
	}
	for where, p := range probes {
		s.run(where, func() {
			t := s.t
			w := s.connect(pipeline.Options{}, p)
			if where == "unwritable" {
				w.write(100_000)
			} else {
				w.send("x")
			}
			if where == "promise" {
				w.recv(5)
			}
			w.closed()
			require.Equal(t, 1, p.count("inactive"))
			require.False(t, p.isNested(), "inactive came inside a callback")
		})
	}
}

func closeTwice(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	var done atomic.Int32
	for _, how := range []pipeline.CloseMode{pipeline.CloseDrain, pipeline.CloseNow, pipeline.CloseNow} {
		promise := w.ch.NewPromise()
		promise.OnDone(func(error) { done.Add(1) })
		w.ch.CloseWith(how, promise)
	}
	w.closed()
	w.await("all promises are complete", func() bool { return done.Load() == 3 })
	require.NoError(t, w.ch.Close())
}

func groupWaits(s *stage) {
	t := s.t
	var members pipeline.Group
	for range 3 {
		members.Add(s.connect(pipeline.Options{}, &probe{}).ch)
	}
	require.Equal(t, 3, members.Len())
	short, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, members.Wait(short), context.Canceled)
	waited := make(chan error, 1)
	parent := t.Context()
	go func() { waited <- members.Wait(parent) }()
	members.CloseAll(pipeline.CloseNow)
	s.await("the group is empty", func() bool { return len(waited) > 0 })
	require.NoError(t, <-waited)
	require.Zero(t, members.Len())
	for _, w := range s.wires {
		w.closed()
	}
}
