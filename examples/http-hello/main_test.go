package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram makes the test binary run main with its arguments.
const asProgram = "HTTP_HELLO_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

func TestProgramGreetsUntilItIsTerminated(t *testing.T) {
	program := exec.CommandContext(t.Context(), os.Args[0], "tcp://127.0.0.1:0")
	program.Env = append(os.Environ(), asProgram+"=1")
	program.Stderr = t.Output()
	out, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)

	for range 2 {
		answer, err := http.Get(strings.TrimSpace(url))
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, 200, answer.StatusCode)
		require.Equal(t, "text/plain; charset=utf-8", answer.Header.Get("Content-Type"))
		require.Equal(t, "Hello, World!\n", string(body))
	}
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, program.Process.Signal(syscall.SIGTERM))
	require.NoError(t, program.Wait(), "the exit code is 0")
}
