package transport_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/stretchr/testify/require"
)

// serverStage runs the suite over accepted connections.
type serverStage struct {
	realTime
	address    string
	goroutines bool
	server     *transport.Server
	init       atomic.Pointer[func(*pipeline.Channel) error] // of the next connection
	serving    chan error
	peers      []*connPeer
}

func newServerStage(address string, goroutines bool) *serverStage {
	return &serverStage{address: address, goroutines: goroutines}
}

func (s *serverStage) connect(t *testing.T, opts *pipeline.Options, init func(*pipeline.Channel) error) peer {
	t.Helper()
	if s.server == nil {
		s.start(t, opts)
	}
	s.init.Store(&init)
	at := s.server.Addrs()[0]
	theirs, err := net.Dial(at.Network(), at.String())
	require.NoError(t, err)
	p := newConnPeer(t, theirs)
	s.peers = append(s.peers, p)
	return p
}

func (s *serverStage) start(t *testing.T, opts *pipeline.Options) {
	t.Helper()
	s.server = &transport.Server{
		Init:    func(ch *pipeline.Channel) error { return (*s.init.Load())(ch) },
		Options: *opts, Loops: 1, Logger: opts.Logger, Goroutines: s.goroutines,
		Socket: transport.SocketOptions{SendBuffer: kernelBuffer},
	}
	require.NoError(t, s.server.Listen(t.Context(), s.address))
	s.serving = make(chan error, 1)
	go func() { s.serving <- s.server.Serve(context.Background()) }()
}

func (s *serverStage) close() {
	if s.server != nil {
		_ = s.server.Close()
		<-s.serving
	}
	for _, p := range s.peers {
		p.stop()
	}
}

// unixAddress is a path that is short enough for a socket.
func unixAddress(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "penstock") //nolint:usetesting // t.TempDir has the test's long name in it
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return "unix://" + filepath.Join(dir, "s")
}

// clientStage runs the suite over dialled connections.
type clientStage struct {
	realTime
	goroutines bool
	client     *transport.Client
	peers      []*connPeer
}

func (s *clientStage) connect(t *testing.T, opts *pipeline.Options, init func(*pipeline.Channel) error) peer {
	t.Helper()
	if s.client == nil {
		s.client = &transport.Client{
			Options: *opts, Loops: 1, Logger: opts.Logger, Goroutines: s.goroutines,
			Socket: transport.SocketOptions{SendBuffer: kernelBuffer},
		}
	}
	p, err := dialPeer(t, s.client.Dial, init)
	s.peers = append(s.peers, p)
	if err != nil {
		t.Logf("dial: %v", err) // the behaviour is about that
	}
	return p
}

func (s *clientStage) close() {
	if s.client != nil {
		_ = s.client.Close()
	}
	for _, p := range s.peers {
		p.stop()
	}
}

// dialPeer dials from our side and accepts as the peer.
func dialPeer(t *testing.T, dial pipeline.DialFunc, init func(*pipeline.Channel) error) (*connPeer, error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	_, dialErr := dial(t.Context(), "tcp://"+ln.Addr().String(), init)
	theirs, err := ln.Accept()
	require.NoError(t, err)
	return newConnPeer(t, theirs), dialErr
}
