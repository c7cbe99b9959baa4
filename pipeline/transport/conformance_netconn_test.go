package transport_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/stretchr/testify/require"
)

// realTime is the part of backstages whose time passes by itself.
type realTime struct{}

func (realTime) await(done func() bool) bool {
	if done() {
		return true
	}
	poll := time.NewTicker(200 * time.Microsecond)
	defer poll.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-poll.C {
		if done() {
			return true
		}
	}
	return false
}

func (realTime) advance(time.Duration) {}

func (realTime) bind() {}

// pairOf makes the two ends of a connection: ours and the peer's.
type pairOf func(t *testing.T) (ours, peers net.Conn)

// connStage runs the suite over the net.Conn transport.
type connStage struct {
	realTime
	conns *transport.Conns
	pair  pairOf // nil: it dials
	peers []*connPeer
}

func newConnStage(pair pairOf) *connStage { return &connStage{pair: pair} }

func (s *connStage) connect(t *testing.T, opts *pipeline.Options, init func(*pipeline.Channel) error) peer {
	t.Helper()
	if s.conns == nil {
		s.conns = &transport.Conns{Options: *opts, Loops: 1, Logger: opts.Logger}
	}
	var p *connPeer
	var err error
	if s.pair == nil {
		p, err = dialPeer(t, s.conns.Dial, init)
	} else {
		ours, theirs := s.pair(t)
		p = newConnPeer(t, theirs)
		_, err = s.conns.Open(t.Context(), ours, init)
	}
	s.peers = append(s.peers, p)
	if err != nil {
		t.Logf("open: %v", err) // the behaviour is about that
	}
	return p
}

func (s *connStage) close() {
	if s.conns != nil {
		_ = s.conns.Close()
	}
	for _, p := range s.peers {
		p.stop()
	}
}

// tcpPair is a TCP connection on the loopback interface.
func tcpPair(t *testing.T) (ours, peers net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	peers, err = net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	ours, err = ln.Accept()
	require.NoError(t, err)
	require.NoError(t, ours.(*net.TCPConn).SetWriteBuffer(kernelBuffer))
	return ours, peers
}

// pipePair has no buffer at all, no half-close and no reset.
func pipePair(*testing.T) (ours, peers net.Conn) { return net.Pipe() }

// plainPair hides everything that net.Conn does not have.
func plainPair(t *testing.T) (ours, peers net.Conn) {
	t.Helper()
	ours, peers = tcpPair(t)
	return struct{ net.Conn }{ours}, peers
}

// tlsPair is a TLS connection after its handshake.
func tlsPair(t *testing.T) (ours, peers net.Conn) {
	t.Helper()
	ours, peers = tcpPair(t)
	cfg := tlsConfig()
	server := tls.Server(ours, cfg)
	client := tls.Client(peers, cfg)
	var both sync.WaitGroup
	both.Go(func() { _ = server.HandshakeContext(context.Background()) })
	require.NoError(t, client.HandshakeContext(t.Context()))
	both.Wait()
	require.True(t, server.ConnectionState().HandshakeComplete)
	return server, client
}

// tlsConfig makes one certificate for all tests.
var tlsConfig = sync.OnceValue(func() *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return &tls.Config{
		Certificates:       []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		InsecureSkipVerify: true, // the test is about closing, not about trust
		MinVersion:         tls.VersionTLS12,
	}
})
