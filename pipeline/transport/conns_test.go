package transport

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestConnsOpenGivesInitsErrorAndCloses(t *testing.T) {
	conns := &Conns{Loops: 1, Logger: quiet}
	defer func() { require.NoError(t, conns.Close()) }()
	refused := errors.New("not today")
	c := newScriptConn()
	_, err := conns.Open(t.Context(), c, func(*pipeline.Channel) error { return refused })
	require.ErrorIs(t, err, refused)
	receive(t, c.closed)
}

func TestConnsOpenRefusesAndCloses(t *testing.T) {
	conns := &Conns{Loops: 1, Logger: quiet}
	defer func() { require.NoError(t, conns.Close()) }()
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
	defer func() { require.NoError(t, conns.Close()) }()
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
	defer func() { require.NoError(t, conns.Close()) }()
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
	defer func() { require.NoError(t, conns.Close()) }()
	_, err := conns.Dial(t.Context(), "example:1", nil)
	require.ErrorIs(t, err, unreachable)
	require.NoError(t, conns.Close())
	_, err = conns.Dial(t.Context(), "example:1", nil)
	require.ErrorIs(t, err, pipeline.ErrLoopClosed)
}

func TestConnsDialRefusesWhatClientRefuses(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	conns := &Conns{Logger: quiet, Dialer: func(context.Context, string, string) (net.Conn, error) { return ours, nil }}
	defer func() { require.NoError(t, conns.Close()) }()
	client := &Client{}
	for _, address := range []string{"tcp://x", "fd://3", ""} {
		_, err := conns.Dial(t.Context(), address, nil)
		require.ErrorIs(t, err, ErrAddress, address)
		_, other := client.Dial(t.Context(), address, nil)
		require.Equal(t, other, err)
	}
	ch, err := conns.Dial(t.Context(), "ssh://jump:22", nil)
	require.NoError(t, err)
	onLoop(t, ch, func() { _, err = conns.Dial(context.Background(), "jump:22", nil) })
	require.ErrorIs(t, err, pipeline.ErrOnLoop)
	_, err = (&Conns{}).Dial(t.Context(), "ssh://jump:22", nil)
	require.ErrorIs(t, err, ErrAddress, "nobody knows that network")
}

func TestConnsDialWithoutADialerUsesTheNetwork(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	conns := &Conns{Logger: quiet}
	defer func() { require.NoError(t, conns.Close()) }()
	ch, err := conns.Dial(t.Context(), ln.Addr().String(), nil)
	require.NoError(t, err)
	require.Equal(t, ln.Addr().String(), ch.RemoteAddr().String())
}
