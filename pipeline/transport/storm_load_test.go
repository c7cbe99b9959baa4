//go:build load && linux

package transport

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// resetOne connects, maybe says something, and resets.
func resetOne(port int) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // that is the reset
	if err := unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port}); err != nil {
		return err
	}
	switch rand.IntN(3) {
	case 0:
		_, err = unix.Write(fd, []byte("something"))
	case 1:
		_, err = unix.Write(fd, []byte("something"))
		_, _ = unix.Read(fd, make([]byte, 4))
	}
	resetOnClose(fd)
	return err
}

// processorTime is what the process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	usage := syscall.Rusage{}
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func TestLoadFiftyThousandResetsDisturbNobody(t *testing.T) {
	const storm, good = 50_000, 10
	s := &Server{Loops: 2, Init: echoInit, Options: pipeline.Options{Logger: quiet}}
	serve(t, s)
	port := s.Addrs()[0].(*net.TCPAddr).Port
	roundTrip(t, connectTo(t, s, 0), "warm")
	before := openDescriptors(t)
	var left, trips, failures atomic.Int64
	left.Store(storm)
	var storms, clients sync.WaitGroup
	for range 4 {
		storms.Go(func() {
			for left.Add(-1) >= 0 {
				_ = resetOne(port) // the peer may have reset first
			}
		})
	}
	stop := make(chan struct{})
	for range good {
		c := connectTo(t, s, 0)
		require.NoError(t, c.SetDeadline(time.Now().Add(2*time.Minute)))
		clients.Go(func() {
			back := make([]byte, 5)
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, err := io.WriteString(c, "hello")
				if err == nil {
					_, err = io.ReadFull(c, back)
				}
				if trips.Add(1); err != nil || string(back) != "hello" {
					failures.Add(1)
					return
				}
			}
		})
	}
	start := time.Now()
	storms.Wait()
	close(stop)
	clients.Wait()
	t.Logf("%d resets in %v beside %d round trips", storm, time.Since(start).Round(time.Millisecond), trips.Load())
	require.Zero(t, failures.Load())
	eventually(t, "only the good ones are left", func() bool { return s.Stats().Open == good+1 })
	require.LessOrEqual(t, openDescriptors(t), before+2*good+2)
	used := processorTime(t)
	rest := time.NewTimer(2 * time.Second)
	<-rest.C
	require.Less(t, processorTime(t)-used, 100*time.Millisecond, "it is quiet afterwards")
}
