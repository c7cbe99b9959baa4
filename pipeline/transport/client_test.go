package transport

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

func TestClientTalksToServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	for _, goroutines := range []bool{false, true} {
		s := &Server{Init: echoInit, Goroutines: goroutines}
		stop := serve(t, s, "tcp://127.0.0.1:0", "unix://"+path)
		c := &Client{Loops: 1, Goroutines: goroutines}
		for _, a := range s.Addrs() {
			got := make(chan string, 1)
			ch, err := c.Dial(t.Context(), a.Network()+"://"+a.String(), func(ch *pipeline.Channel) error {
				return ch.Pipeline().AddLast(pipeline.OnLend(func(_ *pipeline.Context, b *buffer.Buffer) error {
					got <- string(b.Bytes())
					return nil
				}))
			})
			require.NoError(t, err)
			require.Equal(t, a.String(), ch.RemoteAddr().String())
			require.NoError(t, ch.Write(t.Context(), buffer.FromString("hello")))
			require.Equal(t, "hello", receive(t, got))
		}
		require.Equal(t, 2, c.Channels().Len())
		require.NoError(t, c.Close())
		require.Zero(t, c.Channels().Len())
		require.NoError(t, c.Close(), "a second time does nothing")
		require.NoError(t, stop())
	}
}

func TestDialReportsFailures(t *testing.T) {
	s := &Server{Init: echoInit}
	serve(t, s)
	here := s.Addrs()[0].String()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := ln.Addr().String()
	require.NoError(t, ln.Close())
	over, cancel := context.WithCancel(t.Context())
	cancel()
	errInit := errors.New("no")
	c := &Client{Options: pipeline.Options{Logger: quiet}}
	defer func() { require.NoError(t, c.Close()) }()
	for name, try := range map[string]struct {
		parent  context.Context
		address string
		init    func(*pipeline.Channel) error
		is      func(error) bool
	}{
		"bad address":    {t.Context(), "ftp://x", nil, func(err error) bool { return errors.Is(err, ErrAddress) }},
		"a descriptor":   {t.Context(), "fd://3", nil, func(err error) bool { return errors.Is(err, ErrAddress) }},
		"nobody there":   {t.Context(), nobody, nil, func(err error) bool { var op *net.OpError; return errors.As(err, &op) }},
		"parent is over": {over, here, nil, func(err error) bool { return err != nil }},
		"init fails":     {t.Context(), here, func(*pipeline.Channel) error { return errInit }, func(err error) bool { return errors.Is(err, errInit) }},
		"init panics": {t.Context(), here, func(*pipeline.Channel) error { panic("oh") }, func(err error) bool {
			var p *pipeline.PanicError
			return errors.As(err, &p)
		}},
		"init ends the goroutine": {t.Context(), here, func(*pipeline.Channel) error { runtime.Goexit(); return nil }, func(err error) bool {
			return errors.Is(err, pipeline.ErrGoexit)
		}},
		"init closes": {t.Context(), here, func(ch *pipeline.Channel) error { ch.Pipeline().Close(pipeline.CloseNow, nil); return nil }, func(err error) bool {
			return err == nil // what the user wanted
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Dial(try.parent, try.address, try.init)
			require.True(t, try.is(err), "%v", err)
		})
	}
	eventually(t, "nothing is left", func() bool { return c.Channels().Len() == 0 })
	require.NoError(t, c.Close())
	_, err = c.Dial(t.Context(), here, nil)
	require.ErrorIs(t, err, pipeline.ErrLoopClosed)
}

func TestDialOnItsOwnLoopIsRefused(t *testing.T) {
	s := &Server{Init: echoInit}
	serve(t, s)
	c := &Client{Loops: 1}
	defer func() { require.NoError(t, c.Close()) }()
	ch, err := c.Dial(t.Context(), s.Addrs()[0].String(), nil)
	require.NoError(t, err)
	onLoop(t, ch, func() { _, err = c.Dial(context.Background(), s.Addrs()[0].String(), nil) })
	require.ErrorIs(t, err, pipeline.ErrOnLoop)
}

func TestDialGivesUpWithItsContext(t *testing.T) {
	s := &Server{Init: echoInit}
	serve(t, s)
	c := &Client{Loops: 1}
	defer func() { require.NoError(t, c.Close()) }()
	ch, err := c.Dial(t.Context(), s.Addrs()[0].String(), nil)
	require.NoError(t, err)
	release := make(chan struct{})
	require.NoError(t, ch.Loop().Post(func() { <-release })) // the new channel can't be opened
	parent, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := c.Dial(parent, s.Addrs()[0].String(), nil)
		failed <- err
	}()
	eventually(t, "the server has accepted", func() bool { return s.Stats().Accepted == 2 })
	cancel()
	require.ErrorIs(t, receive(t, failed), context.Canceled)
	close(release)
	eventually(t, "the channel is closed as soon as it is open", func() bool { return s.Stats().Open == 1 })
}
