//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// scarce makes the test binary run a server with so many descriptors.
const scarce = "TRANSPORT_TEST_DESCRIPTORS"

// asChild runs what a test has started the binary for, and reports whether that was anything.
func asChild() bool {
	limit := os.Getenv(scarce)
	if limit == "" {
		return false
	}
	if err := serveScarce(limit); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// serveScarce is the child process of the test below. Each line of its input is answered by the processor
// time used so far; it ends with its input.
func serveScarce(limit string) error {
	files := syscall.Rlimit{}
	if _, err := fmt.Sscan(limit, &files.Cur); err != nil {
		return err
	}
	files.Max = files.Cur
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	s := &Server{Loops: 2, Init: echoInit}
	parent, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := s.Listen(parent, "tcp://127.0.0.1:0"); err != nil {
		return err
	}
	fmt.Println(s.Addrs()[0])
	go func() {
		defer cancel()
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			usage := syscall.Rusage{}
			_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // zeros fail the test
			fmt.Println(usage.Utime.Nano()+usage.Stime.Nano(), s.Stats().AcceptErrors)
		}
	}()
	return s.Serve(parent)
}

// child is a running serveScarce.
type child struct {
	t    *testing.T
	in   io.Writer
	out  *bufio.Reader
	log  lockedBuffer
	addr string
}

func startScarce(t *testing.T, limit int) *child {
	t.Helper()
	c := &child{t: t}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", scarce, limit))
	cmd.Stderr = &c.log
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	c.in, c.out = in, bufio.NewReader(out)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		_, _ = io.Copy(io.Discard, out)
		require.NoError(t, cmd.Wait(), "the process ended in good order")
	})
	_, err = fmt.Fscanln(c.out, &c.addr)
	require.NoError(t, err)
	return c
}

// usage is the processor time of the child so far, and its failures to accept.
func (c *child) usage() (cpu time.Duration, failures int) {
	c.t.Helper()
	_, err := io.WriteString(c.in, "\n")
	require.NoError(c.t, err)
	_, err = fmt.Fscanln(c.out, &cpu, &failures)
	require.NoError(c.t, err)
	return cpu, failures
}

func (c *child) dial() net.Conn {
	c.t.Helper()
	conn, err := net.DialTimeout("tcp", c.addr, patience)
	require.NoError(c.t, err)
	require.NoError(c.t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

func TestServerOutlivesAShortageOfDescriptors(t *testing.T) {
	c := startScarce(t, 64)
	var established, waiting []net.Conn
	for range 20 {
		conn := c.dial()
		roundTrip(t, conn, "hello")
		established = append(established, conn)
	}
	for range 80 {
		waiting = append(waiting, c.dial())
	}
	eventually(t, "accepting fails", func() bool {
		_, failures := c.usage()
		return failures > 0
	})
	start := time.Now()
	cpuBefore, _ := c.usage()
	for time.Since(start) < 1500*time.Millisecond {
		rest := time.NewTimer(100 * time.Millisecond)
		<-rest.C
		roundTrip(t, established[0], "once in a while")
	}
	elapsed := time.Since(start)
	cpu, failures := c.usage()
	require.Less(t, cpu-cpuBefore, elapsed/20, "processor time while nothing can be accepted")
	require.Less(t, failures, 400)
	require.LessOrEqual(t, c.log.count("accepting failed"), 2+int(elapsed/time.Second))
	for _, conn := range established {
		roundTrip(t, conn, "still served")
		require.NoError(t, conn.Close())
	}
	last := waiting[len(waiting)-1]
	for _, conn := range waiting[:len(waiting)-1] {
		require.NoError(t, conn.Close())
	}
	freed := time.Now()
	roundTrip(t, last, "at last")
	require.Less(t, time.Since(freed), 2*time.Second)
	require.NoError(t, last.Close())
}
