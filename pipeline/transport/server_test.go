package transport

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

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

func TestServerReportsMisuse(t *testing.T) {
	listen := func(s *Server, addr string) func() error {
		return func() error { return s.ListenAndServe(t.Context(), addr) }
	}
	closed := &Server{Init: echoInit}
	require.NoError(t, closed.Close())
	shut := &Server{Init: echoInit}
	require.NoError(t, shut.Shutdown(t.Context()))
	for name, c := range map[string]struct {
		run  func() error
		want error
	}{
		"no Init":               {listen(&Server{}, "tcp://127.0.0.1:0"), errNoInit},
		"nothing to listen on":  {func() error { return (&Server{Init: echoInit}).Serve(t.Context()) }, errNothing},
		"after Close":           {listen(closed, "tcp://127.0.0.1:0"), ErrServerClosed},
		"Serve after Shutdown":  {func() error { return shut.Serve(t.Context()) }, net.ErrClosed},
		"an unknown scheme":     {listen(&Server{Init: echoInit}, "udp://127.0.0.1:0"), ErrAddress},
		"no port":               {listen(&Server{Init: echoInit}, "tcp://127.0.0.1"), ErrAddress},
		"a path that is absent": {listen(&Server{Init: echoInit}, "unix://"), ErrAddress},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, c.run(), c.want) })
	}
}

func TestListenBindsAllAddressesOrNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	s := &Server{Init: echoInit}
	require.Error(t, s.Listen(t.Context(), "unix://"+path, "tcp://256.0.0.1:0"))
	require.Empty(t, s.Addrs())
	require.NoFileExists(t, path)
	require.NoError(t, s.Listen(t.Context(), "unix://"+path))
	require.FileExists(t, path)
	require.NoError(t, s.Close())
	require.NoFileExists(t, path)
}

func TestListenTakesAPathThatADeadProcessLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	ln.SetUnlinkOnClose(false)
	busy := &Server{Init: echoInit}
	require.Error(t, busy.Listen(t.Context(), "unix://"+path), "somebody listens")
	require.NoError(t, ln.Close())
	s := &Server{Init: echoInit}
	serve(t, s, "unix://"+path)
	roundTrip(t, connectTo(t, s, 0), "hello")
}

func TestServerWithReusePortSpreadsConnections(t *testing.T) {
	s := &Server{Init: echoInit, Loops: 3, Socket: SocketOptions{ReusePort: true}}
	serve(t, s)
	require.Len(t, s.Addrs(), 1)
	loops := make(map[*pipeline.Loop]bool)
	for range 64 {
		roundTrip(t, connectTo(t, s, 0), "hello")
	}
	for _, ch := range s.Channels().Channels() {
		loops[ch.Loop()] = true
	}
	require.Len(t, loops, 3)
}

func TestServerGivesTheNextConnectionToTheLoopWithFewest(t *testing.T) {
	s := &Server{Init: echoInit, Loops: 4}
	serve(t, s)
	for range 40 {
		roundTrip(t, connectTo(t, s, 0), "hello")
	}
	count := make(map[*pipeline.Loop]int)
	for _, ch := range s.Channels().Channels() {
		count[ch.Loop()]++
	}
	require.Len(t, count, 4)
	for _, n := range count {
		require.Equal(t, 10, n)
	}
}

func TestChannelsKnowTheirAddresses(t *testing.T) {
	s := &Server{Init: echoInit}
	serve(t, s, "tcp://127.0.0.1:0", "tcp://:0", "unix://"+filepath.Join(t.TempDir(), "s"))
	for i := range s.Addrs() {
		a := s.Addrs()[i]
		c, err := net.Dial(a.Network(), a.String())
		require.NoError(t, err)
		ch := one(t, s)
		require.Equal(t, c.RemoteAddr().String(), ch.LocalAddr().String())
		require.Equal(t, c.LocalAddr().Network(), ch.RemoteAddr().Network())
		if a.Network() == "tcp" {
			require.Equal(t, c.LocalAddr().String(), ch.RemoteAddr().String())
		}
		require.NoError(t, c.Close())
		eventually(t, "it is gone", func() bool { return s.Channels().Len() == 0 })
	}
}

func TestFailingInitClosesTheConnection(t *testing.T) {
	s := &Server{Init: func(*pipeline.Channel) error { return context.Canceled }, Options: pipeline.Options{Logger: quiet}}
	serve(t, s)
	c := connectTo(t, s, 0)
	_, err := c.Read(make([]byte, 1))
	require.Error(t, err)
	eventually(t, "it is not counted any more", func() bool { return s.Stats().Open == 0 && s.Channels().Len() == 0 })
}
