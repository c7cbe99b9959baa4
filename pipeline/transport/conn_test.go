//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"errors"
	"io"
	"net"
	"testing"
	"unsafe"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestConnIsSmall(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(conn{}), uintptr(64), "idle connections are many")
}

// halfOf makes a conn over one end of a pair that does not block, and gives the other end's descriptor.
func halfOf(t *testing.T) (c *conn, other int) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	c = &conn{loop: &eventLoop{}, fd: ends[0]}
	t.Cleanup(func() { require.NoError(t, unix.Close(c.fd)) })
	require.NoError(t, unix.SetNonblock(c.fd, true))
	return c, ends[1]
}

func TestConnSaysThatItWouldBlock(t *testing.T) {
	c, other := halfOf(t)
	_, err := c.Read(make([]byte, 1))
	require.ErrorIs(t, err, pipeline.ErrWouldBlock)
	n, total := 0, 0
	for err = nil; err == nil; total += n {
		n, err = c.Writev([][]byte{make([]byte, 10_000), make([]byte, 10_000)})
	}
	require.ErrorIs(t, err, pipeline.ErrWouldBlock)
	require.Positive(t, total)
	require.NoError(t, unix.Close(other))
}

func TestConnTellsAnOrderlyEndFromABrokenWrite(t *testing.T) {
	c, other := halfOf(t)
	require.NoError(t, unix.Close(other)) // with nothing unread: systems differ in what they make of that
	_, err := c.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	_, err = c.Writev([][]byte{{1}})
	require.ErrorIs(t, err, unix.EPIPE)
}

func TestConnKeepsTheErrorOfAReset(t *testing.T) {
	ln := listenTCP(t)
	defer ln.Close()
	peer := dialTCP(t, ln)
	ours, err := ln.Accept()
	require.NoError(t, err)
	fd, err := descriptor(ours)
	require.NoError(t, err)
	c := &conn{loop: &eventLoop{}, fd: fd}
	defer func() { require.NoError(t, unix.Close(fd)) }()
	require.NoError(t, peer.(*net.TCPConn).SetLinger(0))
	require.NoError(t, peer.Close())
	eventually(t, "the reset arrives", func() bool {
		_, err = c.Read(make([]byte, 1))
		return !errors.Is(err, pipeline.ErrWouldBlock)
	})
	require.ErrorIs(t, err, unix.ECONNRESET)
}
