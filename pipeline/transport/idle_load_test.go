//go:build load && linux

package transport

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// passive is a handler with state that an idle connection has.
type passive struct {
	pipeline.Unshared
	messages int
}

func (p *passive) HandleRead(ctx *pipeline.Context, msg any) error {
	p.messages++
	ctx.FireRead(msg)
	return nil
}

func (p *passive) HandleWrite(ctx *pipeline.Context, msg any, pr *pipeline.Promise) error {
	return ctx.Forward(msg, pr)
}

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

func TestLoadThousandsOfIdleConnectionsTakeTwoKiBEach(t *testing.T) {
	const conns = 9_000 // both ends are ours, and the descriptors are limited
	s := &Server{Loops: 2, MaxPerAddress: conns + 1, Init: func(ch *pipeline.Channel) error {
		if err := ch.Pipeline().AddLast(&passive{}, &passive{}, &passive{}, &passive{}); err != nil {
			return err
		}
		return echoInit(ch)
	}}
	serve(t, s)
	port := s.Addrs()[0].(*net.TCPAddr).Port
	fds := connectRaw(t, port, 1)
	before := residentBytes(t)
	fds = append(fds, connectRaw(t, port, conns)...)
	eventually(t, "all are there", func() bool { return s.Channels().Len() == conns+1 })
	after := residentBytes(t)
	each := (after - before) / conns
	t.Logf("%d bytes of resident memory per idle connection", each)
	require.LessOrEqual(t, each, 2<<10)
	require.Less(t, runtime.NumGoroutine(), 30)
	for _, fd := range fds {
		require.NoError(t, unix.Close(fd))
	}
	eventually(t, "all are gone", func() bool { return s.Channels().Len() == 0 })
}

// connectRaw connects n times to a port of 127.0.0.1, without the memory that package net takes for it.
func connectRaw(t *testing.T, port, n int) []int {
	t.Helper()
	fds := make([]int, n)
	for i := range fds {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		require.NoError(t, err)
		require.NoError(t, unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port}))
		fds[i] = fd
	}
	return fds
}
