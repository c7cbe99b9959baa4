package transport

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// patience is how long tests wait for what should happen at once.
const patience = 10 * time.Second

// echoInit makes channels that send back what they get.
func echoInit(ch *pipeline.Channel) error {
	return ch.Pipeline().AddLast(pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }))
}

// serve runs s on addrs until the test ends, or until stop.
func serve(t *testing.T, s *Server, addrs ...string) (stop func() error) {
	t.Helper()
	if len(addrs) == 0 {
		addrs = []string{"tcp://127.0.0.1:0"}
	}
	require.NoError(t, s.Listen(t.Context(), addrs...))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-done
	}
	t.Cleanup(func() { require.NoError(t, stop()) })
	return stop
}

// connectTo dials the server's i-th address with the standard library.
func connectTo(t *testing.T, s *Server, i int) net.Conn {
	t.Helper()
	a := s.Addrs()[i]
	c, err := net.DialTimeout(a.Network(), a.String(), patience)
	require.NoError(t, err)
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// roundTrip sends text and wants it back.
func roundTrip(t *testing.T, c net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(t, err)
	back := make([]byte, len(text))
	_, err = io.ReadFull(c, back)
	require.NoError(t, err)
	require.Equal(t, text, string(back))
}

// quiet drops what is logged.
var quiet = slog.New(slog.DiscardHandler)

// onLoop runs f on the channel's loop and waits for it.
func onLoop(t *testing.T, ch *pipeline.Channel, f func()) {
	t.Helper()
	done := make(chan struct{})
	require.NoError(t, ch.Loop().Post(func() {
		defer close(done)
		f()
	}))
	receive(t, done)
}

// receive waits for a value, or for the channel to be closed.
func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

// eventually waits until done.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	require.Eventually(t, done, patience, time.Millisecond, what)
}

// fill makes n bytes that differ with their place.
func fill(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*13 + i>>16*31)
	}
	return b
}

// one is the only channel of the server, once it is there.
func one(t *testing.T, s *Server) *pipeline.Channel {
	t.Helper()
	eventually(t, "a channel", func() bool { return s.Channels().Len() == 1 })
	return s.Channels().Channels()[0]
}
