package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestConnsOpenGivesInitsErrorAndCloses(t *testing.T) {
	conns := &Conns{Loops: 1, Logger: quiet}
	defer conns.Close()
	refused := errors.New("not today")
	c := newScriptConn()
	_, err := conns.Open(t.Context(), c, func(*pipeline.Channel) error { return refused })
	require.ErrorIs(t, err, refused)
	receive(t, c.closed)
}

func TestConnsOpenRefusesAndCloses(t *testing.T) {
	conns := &Conns{Loops: 1, Logger: quiet}
	defer conns.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	c := newScriptConn()
	_, err := conns.Open(ended, c, nil)
	require.ErrorIs(t, err, context.Canceled)
	receive(t, c.closed)

	ch, err := conns.Open(t.Context(), newScriptConn(), nil)
	require.NoError(t, err)
	c = newScriptConn()
	parent := t.Context()
	onLoop(t, ch, func() { _, err = conns.Open(parent, c, nil) })
	require.ErrorIs(t, err, pipeline.ErrOnLoop)
	receive(t, c.closed)

	require.NoError(t, conns.Close())
	require.True(t, ch.Closed())
	c = newScriptConn()
	_, err = conns.Open(t.Context(), c, nil)
	require.ErrorIs(t, err, pipeline.ErrLoopClosed)
	require.ErrorIs(t, err, net.ErrClosed)
	receive(t, c.closed)
}

func TestConnsOpenGivesUpWithItsContext(t *testing.T) {
	conns := &Conns{Loops: 1, Logger: quiet}
	defer conns.Close()
	parent, cancel := context.WithCancel(t.Context())
	blocked := make(chan struct{})
	c := newScriptConn()
	_, err := conns.Open(parent, c, func(*pipeline.Channel) error {
		cancel()
		<-blocked
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	close(blocked)
	receive(t, c.closed) // nobody has the channel
}

func TestConnsDialUsesTheGivenDialer(t *testing.T) {
	var network, address string
	ours, theirs := net.Pipe()
	conns := &Conns{Loops: 1, Logger: quiet, Dialer: func(_ context.Context, n, a string) (net.Conn, error) {
		network, address = n, a
		return ours, nil
	}}
	defer conns.Close()
	_, err := conns.Dial(t.Context(), "ssh://jump:22", echoInit)
	require.NoError(t, err)
	require.Equal(t, []string{"ssh", "jump:22"}, []string{network, address})
	require.Equal(t, 1, conns.Channels().Len())
	roundTrip(t, theirs, "over a pipe")
	require.NoError(t, theirs.Close())
	eventually(t, "the channel has closed", func() bool { return conns.Channels().Len() == 0 })
}

func TestConnsDialGivesTheDialersError(t *testing.T) {
	unreachable := errors.New("no route")
	conns := &Conns{Dialer: func(_ context.Context, network, _ string) (net.Conn, error) {
		require.Equal(t, "tcp", network)
		return nil, unreachable
	}}
	defer conns.Close()
	_, err := conns.Dial(t.Context(), "example:1", nil)
	require.ErrorIs(t, err, unreachable)
	require.NoError(t, conns.Close())
	_, err = conns.Dial(t.Context(), "example:1", nil)
	require.ErrorIs(t, err, pipeline.ErrLoopClosed)
}

func TestConnsDialWithoutADialerUsesTheNetwork(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	conns := &Conns{Logger: quiet}
	defer conns.Close()
	ch, err := conns.Dial(t.Context(), ln.Addr().String(), nil)
	require.NoError(t, err)
	require.Equal(t, ln.Addr().String(), ch.RemoteAddr().String())
}

func TestServeConnReturnsWhenTheChannelHasClosed(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		end  error
		want error
	}{
		{"an ordinary end", io.EOF, nil},
		{"a failure", broken, broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newScriptConn()
			d := &diary{}
			done := make(chan error, 1)
			go func() {
				done <- ServeConn(context.Background(), c, &pipeline.Options{Logger: quiet},
					func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(d) })
			}()
			c.reads <- answer{text: "hello"}
			c.reads <- answer{err: tt.end}
			require.ErrorIs(t, receive(t, done), tt.want)
			require.Equal(t, "hello", d.read())
			require.EqualValues(t, 1, c.closes.Load())
		})
	}
}

func TestServeConnEndsWithItsContext(t *testing.T) {
	parent, cancel := context.WithCancelCause(t.Context())
	c := newScriptConn()
	enough := errors.New("enough")
	err := ServeConn(parent, c, nil, func(ch *pipeline.Channel) error {
		return ch.Post(func() { cancel(enough) })
	})
	require.ErrorIs(t, err, enough)
	receive(t, c.closed)
}

func TestServeConnGivesInitsError(t *testing.T) {
	refused := errors.New("not today")
	err := ServeConn(t.Context(), newScriptConn(), &pipeline.Options{Logger: quiet}, func(*pipeline.Channel) error { return refused })
	require.ErrorIs(t, err, refused)
}
