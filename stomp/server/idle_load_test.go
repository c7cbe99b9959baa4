//go:build load && linux

package server_test

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp/server"
)

// residentBytes is what the process has in memory.
func residentBytes(t *testing.T) int {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, resident int
	_, err = fmt.Sscan(string(status), &size, &resident)
	require.NoError(t, err)
	return resident * os.Getpagesize()
}

// connectRaw opens n sessions at addr, without the memory that package net takes for a connection.
func connectRaw(t *testing.T, addr string, n int) []int {
	t.Helper()
	tcpAddr, err := net.ResolveTCPAddr("tcp", addr)
	require.NoError(t, err)
	fds := make([]int, n)
	answer := make([]byte, 1024)
	for i := range fds {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		require.NoError(t, err)
		require.NoError(t, unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: tcpAddr.Port}))
		_, err = unix.Write(fd, []byte("CONNECT\naccept-version:1.2\nhost:h\nheart-beat:30000,30000\n\n\x00"))
		require.NoError(t, err)
		got, err := unix.Read(fd, answer)
		require.NoError(t, err)
		require.Contains(t, string(answer[:got]), "CONNECTED")
		fds[i] = fd
	}
	return fds
}

// Sessions with heart-beats and nothing else take little beside what their connections take.
func TestLoadIdleSessionsTakeFourKiBEach(t *testing.T) {
	const conns = 5_000 // both ends are ours, and the descriptors are limited
	s, addr := serve(t, server.Config{Broker: &broker.Broker{}})
	fds := connectRaw(t, addr, 10)
	before := residentBytes(t)
	fds = append(fds, connectRaw(t, addr, conns)...)
	after := residentBytes(t)
	each := (after - before) / conns
	t.Logf("%d bytes of resident memory per idle session", each)
	require.LessOrEqual(t, each, 4<<10)
	for _, fd := range fds {
		require.NoError(t, unix.Close(fd))
	}
	require.Eventually(t, func() bool { return s.Channels().Len() == 0 }, time.Minute, 10*time.Millisecond)
}

// A gigabyte of headers is cut off as its beginning is.
func TestLoadAGigabyteOfHeadersIsCutOff(t *testing.T) { flood(t, 1<<30) }
