package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram makes the test binary run main with its arguments.
const asProgram = "ECHO_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

func TestProgramEchoesUntilItIsTerminated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "echo.sock")
	program := exec.CommandContext(t.Context(), os.Args[0], "unix://"+path)
	program.Env = append(os.Environ(), asProgram+"=1")
	program.Stderr = t.Output()
	require.NoError(t, program.Start())

	var c net.Conn
	require.Eventually(t, func() (up bool) {
		var err error
		c, err = net.Dial("unix", path)
		return err == nil
	}, 10*time.Second, 5*time.Millisecond)
	require.NoError(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err := io.WriteString(c, "hello")
	require.NoError(t, err)
	back := make([]byte, 5)
	_, err = io.ReadFull(c, back)
	require.NoError(t, err)
	require.Equal(t, "hello", string(back))

	require.NoError(t, program.Process.Signal(syscall.SIGTERM))
	_, err = c.Read(back)
	require.ErrorIs(t, err, io.EOF, "the connection ends in good order")
	require.NoError(t, c.Close())
	require.NoError(t, program.Wait(), "the exit code is 0")
}

func TestReadmeHasTheSameAddress(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), `"`+defaultAddress+`"`, "in the program")
	host, port, err := net.SplitHostPort(strings.TrimPrefix(defaultAddress, "tcp://"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "`nc "+host+" "+port+"`")
}
