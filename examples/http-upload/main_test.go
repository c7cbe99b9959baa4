package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram makes the test binary run main with its arguments.
const asProgram = "HTTP_UPLOAD_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// program is the example as a process of its own, so that its memory can be told from the test's.
type program struct {
	*exec.Cmd
	url, folder string
}

func start(t *testing.T) *program {
	t.Helper()
	p := &program{Cmd: exec.CommandContext(t.Context(), os.Args[0], "tcp://127.0.0.1:0", t.TempDir())}
	p.folder = p.Args[2]
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stderr = t.Output()
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	p.url = strings.TrimSpace(line)
	return p
}

func (p *program) stop(t *testing.T) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.NoError(t, p.Wait(), "the exit code is 0")
}

// upload sends n octets of a pattern and checks what the answer says of them.
func (p *program) upload(t *testing.T, n int64) {
	t.Helper()
	sum := sha256.New()
	body := io.TeeReader(io.LimitReader(pattern{}, n), sum)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, p.url, body)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, 201, answer.StatusCode, "%s", text)
	name, rest, _ := strings.Cut(string(text), " ")
	require.Equal(t, fmt.Sprintf("%d octets, sha256 %x\n", n, sum.Sum(nil)), rest)
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, n, info.Size())
	require.NoError(t, os.Remove(name))
}

// pattern is an endless body that is not all zero.
type pattern struct{}

func (pattern) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i * 7)
	}
	return len(p), nil
}

func TestProgramStoresUploads(t *testing.T) {
	p := start(t)
	p.upload(t, 0)
	p.upload(t, 5)
	p.upload(t, 3<<20)
	p.stop(t)
}

func TestProgramDropsTheUploadOfAClientThatLeaves(t *testing.T) {
	p := start(t)
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/"))
	require.NoError(t, err)
	_, err = io.WriteString(c, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")
	require.NoError(t, err)
	files := func() int {
		entries, err := os.ReadDir(p.folder)
		require.NoError(t, err)
		return len(entries)
	}
	require.Eventually(t, func() bool { return files() == 1 }, 5*time.Second, time.Millisecond)
	require.NoError(t, c.Close())
	require.Eventually(t, func() bool { return files() == 0 }, 5*time.Second, time.Millisecond)
	p.stop(t)
}

func TestProgramStoresManyTinyChunks(t *testing.T) {
	p := start(t)
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/"))
	require.NoError(t, err)
	defer c.Close()
	const chunks = 20_000
	_, err = io.WriteString(c, "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"+
		strings.Repeat("1\r\nx\r\n", chunks)+"0\r\n\r\n")
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf(" %d octets", chunks))
	require.NoError(t, answer.Body.Close())
	require.NoError(t, c.Close())
	p.stop(t)
}
