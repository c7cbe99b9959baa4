package transport

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// plainConn is a connection without a descriptor.
type plainConn struct{ net.Conn }

// wrapped is a listener that is not ours and gives what wrap makes.
type wrapped struct {
	net.Listener
	wrap  func(net.Conn) net.Conn
	fails atomic.Int32 // so many times, before it works
}

func (w *wrapped) Accept() (net.Conn, error) {
	if w.fails.Add(-1) >= 0 {
		return nil, temporaryError{}
	}
	c, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return w.wrap(c), nil
}

type temporaryError struct{}

func (temporaryError) Error() string   { return "come again" }
func (temporaryError) Temporary() bool { return true }

func listenTCP(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return ln
}

// serveOn runs s on listeners of the test.
func serveOn(t *testing.T, s *Server, lns ...net.Listener) (stop context.CancelFunc, done <-chan error) {
	t.Helper()
	parent, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(parent, lns...) }()
	t.Cleanup(func() { _ = s.Close() })
	return cancel, served
}

func dialTCP(t *testing.T, ln net.Listener) net.Conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", ln.Addr().String(), patience)
	require.NoError(t, err)
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// refused connects, and gives the error of a connection that is reset at once. The reset may come before the
// call that connects returns.
func refused(ln net.Listener) error {
	c, err := net.DialTimeout("tcp", ln.Addr().String(), patience)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err = c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		return nil // it is open
	}
	return err
}

func TestForeignListenersAreServed(t *testing.T) {
	for name, c := range map[string]struct {
		wrap    func(net.Conn) net.Conn
		onLoops bool
	}{
		"connections are taken over":           {func(c net.Conn) net.Conn { return c }, true},
		"those without descriptor are carried": {func(c net.Conn) net.Conn { return plainConn{c} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			ln := &wrapped{Listener: listenTCP(t), wrap: c.wrap}
			ln.fails.Store(3)
			s := &Server{Init: echoInit, MaxConns: 2, Logger: quiet}
			stop, done := serveOn(t, s, ln)
			first, second := dialTCP(t, ln), dialTCP(t, ln)
			roundTrip(t, first, "hello")
			roundTrip(t, second, "hello")
			kind := fmt.Sprintf("%T", s.Channels().Channels()[0].Transport())
			require.Equal(t, c.onLoops && haveEventLoops, kind == "*transport.conn", kind)
			require.Error(t, refused(ln), "limits hold")
			require.NoError(t, first.Close())
			eventually(t, "it is counted as closed", func() bool { return s.Stats().Open == 1 })
			require.Equal(t, int64(3), s.Stats().AcceptErrors)
			require.NoError(t, second.Close())
			stop()
			require.NoError(t, receive(t, done))
			_, err := net.Dial("tcp", ln.Addr().String())
			require.Error(t, err, "the listener is closed")
		})
	}
}

func TestServeEndsWithItsListener(t *testing.T) {
	ln := listenTCP(t)
	s := &Server{Init: echoInit}
	_, done := serveOn(t, s, ln)
	c := dialTCP(t, ln)
	roundTrip(t, c, "hello")
	require.NoError(t, c.Close())
	eventually(t, "it is gone", func() bool { return s.Stats().Open == 0 })
	require.NoError(t, ln.Close())
	require.ErrorIs(t, receive(t, done), net.ErrClosed)
}

func TestTLSListenersAreServed(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	plain := listenTCP(t)
	ln := tls.NewListener(plain, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	s := &Server{Init: echoInit, Logger: quiet}
	stop, done := serveOn(t, s, ln)
	c := tls.Client(dialTCP(t, plain), &tls.Config{InsecureSkipVerify: true}) // the test is not about trust
	require.NoError(t, c.HandshakeContext(t.Context()))
	roundTrip(t, c, "hello")
	require.NoError(t, c.Close())
	stop()
	require.NoError(t, receive(t, done))
}

func TestServeTakesBoundAndForeignListenersTogether(t *testing.T) {
	ln := listenTCP(t)
	s := &Server{Init: echoInit}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	stop, done := serveOn(t, s, ln)
	here, there := connectTo(t, s, 0), dialTCP(t, ln)
	roundTrip(t, here, "hello")
	roundTrip(t, there, "hello")
	require.NoError(t, errors.Join(here.Close(), there.Close()))
	stop()
	require.NoError(t, receive(t, done))
}
