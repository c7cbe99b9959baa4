package transport

import (
	"context"
	"io"
	"net"
	"path/filepath"
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

func TestServerEchoesOverEveryKindOfAddress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "echo.sock")
	s := &Server{Init: echoInit, Loops: 2}
	stop := serve(t, s, "tcp://127.0.0.1:0", "tcp4://127.0.0.1:0", "unix://"+path)
	require.Len(t, s.Addrs(), 3)
	for i := range s.Addrs() {
		c := connectTo(t, s, i)
		roundTrip(t, c, "hello")
		roundTrip(t, c, "again")
		require.NoError(t, c.Close())
	}
	require.Equal(t, int64(3), s.Stats().Accepted)
	require.NoError(t, stop())
	require.NoFileExists(t, path)
}
