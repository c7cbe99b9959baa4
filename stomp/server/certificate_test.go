package server_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	numbers "math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp/server"
)

// certificate makes one for name that it signs itself.
func certificate(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	about := &x509.Certificate{SerialNumber: numbers.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	octets, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{octets}, PrivateKey: key}
}

// certified lets in whose certificate says alice.
func certified(ctx *pipeline.Context, l *server.Login) {
	conn, ok := ctx.Channel().Transport().(transport.Wrapper)
	if !ok {
		l.Refuse("TLS only")
		return
	}
	state, ok := conn.NetConn().(*tls.Conn)
	if !ok || state.ConnectionState().PeerCertificates[0].Subject.CommonName != "alice" {
		l.Refuse("not alice")
		return
	}
	l.Accept()
}

func TestClientsLogInByTheirCertificate(t *testing.T) {
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{certificate(t, "server")}, ClientAuth: tls.RequireAnyClientCert,
	})
	require.NoError(t, err)
	srv := transport.Server{Init: func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(&installer{server.Config{Authenticate: certified}})
	}}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background(), listener) }()
	for name, answer := range map[string]string{"alice": "CONNECTED\n", "mallory": "ERROR\n"} {
		conn, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{
			Certificates: []tls.Certificate{certificate(t, name)}, InsecureSkipVerify: true, //nolint:gosec // the test's own
		})
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
		_, err = conn.Write([]byte("CONNECT\naccept-version:1.2\nhost:h\n\n\x00"))
		require.NoError(t, err)
		line, err := bufio.NewReader(conn).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, answer, line, name)
		require.NoError(t, conn.Close())
	}
	require.NoError(t, srv.Close())
	require.NoError(t, <-served)
}
