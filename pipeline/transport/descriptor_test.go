//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestInheritedListenersAreServed(t *testing.T) {
	ln := listenTCP(t).(*net.TCPListener)
	f, err := ln.File()
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	s := &Server{Init: echoInit}
	// The server closes what it inherits, as if it owned the number.
	fd, err := syscall.Dup(int(f.Fd()))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	serve(t, s, fmt.Sprintf("fd://%d", fd))
	require.Equal(t, ln.Addr().String(), s.Addrs()[0].String())
	roundTrip(t, connectTo(t, s, 0), "hello")
}

func TestInheritingSomethingElseFails(t *testing.T) {
	f, err := os.Open(os.Args[0])
	require.NoError(t, err)
	fd, err := syscall.Dup(int(f.Fd()))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	s := &Server{Init: echoInit}
	require.Error(t, s.Listen(t.Context(), fmt.Sprintf("fd://%d", fd)))
	require.Error(t, s.Listen(t.Context(), "fd://1000000"))
	require.NoError(t, s.Close())
}

// openDescriptors is the number of descriptors of the process.
func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	require.NoError(t, err)
	return len(entries)
}

func TestDescriptorsReturnAfterAStormOfResets(t *testing.T) {
	before := openDescriptors(t)
	s := &Server{Init: greeter, Loops: 2, Options: pipeline.Options{Logger: quiet}}
	stop := serve(t, s)
	const storm = 5000
	for i := range storm {
		c, err := net.Dial("tcp", s.Addrs()[0].String())
		require.NoError(t, err)
		if i%3 == 0 {
			_, _ = io.WriteString(c, "something")
		}
		if i%3 == 1 {
			_, _ = c.Read(make([]byte, 1))
		}
		require.NoError(t, c.(*net.TCPConn).SetLinger(0))
		require.NoError(t, c.Close())
	}
	eventually(t, "all are gone", func() bool {
		stats := s.Stats()
		return stats.Open == 0 && s.Channels().Len() == 0 && stats.Accepted+stats.AcceptErrors == storm
	})
	c, ok, err := comeIn(s, "")
	require.True(t, ok, "%v", err)
	require.NoError(t, c.Close())
	require.NoError(t, stop())
	eventually(t, "descriptors are back", func() bool { return openDescriptors(t) <= before+2 })
}
