package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// asProgram makes the test binary run main with its arguments.
const asProgram = "REVERSE_PROXY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// chain is a backend behind the proxy, in this process.
type chain struct {
	addr   string // of the proxy
	client *http.Client
}

// run starts the proxy in front of h; arrange changes it before.
func run(t *testing.T, h http.HandlerFunc, arrange func(p *proxy)) *chain {
	t.Helper()
	backend := httptest.NewServer(h)
	dialer := &transport.Client{Loops: 1}
	p := &proxy{backend: backend.Listener.Addr().String(), client: httpx.Client{Dial: dialer.Dial}}
	if arrange != nil {
		arrange(p)
	}
	server := &transport.Server{Loops: 1, Init: httpx.Init(httpx.ServerConfig{Handle: p.handle})}
	require.NoError(t, server.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background()) }()
	c := &chain{addr: server.Addrs()[0].String(), client: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(func() {
		c.client.CloseIdleConnections()
		require.NoError(t, server.Close())
		<-served
		require.NoError(t, p.client.Close())
		require.NoError(t, dialer.Close())
		backend.Close()
	})
	return c
}

func (c *chain) request(t *testing.T, method, path string, body io.Reader, fields ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+c.addr+path, body)
	require.NoError(t, err)
	for i := 0; i < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	return r
}

// do asks and returns the answer with its body read.
func (c *chain) do(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	answer, err := c.client.Do(r)
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer, string(body)
}

func TestRequestsAndAnswersArePassedOn(t *testing.T) {
	c := run(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("X-Back", "1")
		w.Header().Set("Connection", "X-Mine")
		w.Header().Set("X-Mine", "1")
		w.Header().Set("Trailer", "X-Sum")
		w.WriteHeader(201)
		_, _ = fmt.Fprintf(w, "%s %s %s %d %s", r.Method, r.URL, r.Host, len(r.TransferEncoding), body)
		w.Header().Set("X-Sum", "7")
	}, nil)
	for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
		for range 2 {
			answer, body := c.do(t, c.request(t, method, "/a%20b?q=1&r", strings.NewReader("hello")))
			require.Equal(t, 201, answer.StatusCode)
			require.Equal(t, method+" /a%20b?q=1&r "+c.addr+" 0 hello", body)
			require.Equal(t, "1", answer.Header.Get("X-Back"))
			require.Empty(t, answer.Header.Get("X-Mine"))
			require.Equal(t, "1.1 penstock", answer.Header.Get("Via"))
			require.Equal(t, "7", answer.Trailer.Get("X-Sum"))
		}
	}
	_, body := c.do(t, c.request(t, "POST", "/", io.MultiReader(strings.NewReader("chun"), strings.NewReader("ked"))))
	require.True(t, strings.HasSuffix(body, " 1 chunked"), body)
}

func TestFieldsOfOneConnectionStayThere(t *testing.T) {
	got := make(chan *http.Request, 1)
	c := run(t, func(_ http.ResponseWriter, r *http.Request) { got <- r }, nil)
	c.do(t, c.request(t, "GET", "/", nil,
		"Connection", "keep-alive, X-Mine", "X-Mine", "1", "Keep-Alive", "timeout=5", "TE", "gzip", "Upgrade", "x",
		"Proxy-Authorization", "secret", "X-Forwarded-For", "1.2.3.4", "X-Forwarded-Proto", "https", "Via", "1.0 first", "X", "1",
	))
	r := <-got
	for _, name := range []string{"Connection", "X-Mine", "Keep-Alive", "Te", "Upgrade", "Proxy-Authorization"} {
		require.Empty(t, r.Header.Values(name), name)
	}
	require.Equal(t, "1", r.Header.Get("X"))
	require.Equal(t, []string{"1.0 first", "1.1 penstock"}, r.Header.Values("Via"))
	require.Equal(t, []string{"1.2.3.4", "127.0.0.1"}, r.Header.Values("X-Forwarded-For"))
	require.Equal(t, []string{"http"}, r.Header.Values("X-Forwarded-Proto"))
	require.Equal(t, []string{c.addr}, r.Header.Values("X-Forwarded-Host"))
	require.Equal(t, `for="127.0.0.1";host="`+c.addr+`";proto=http`, r.Header.Get("Forwarded"))
}

func TestAnswersWithoutABody(t *testing.T) {
	c := run(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "5")
		switch r.URL.Path {
		case "/304":
			w.WriteHeader(304)
		case "/204":
			w.Header().Del("Content-Length")
			w.WriteHeader(204)
		}
	}, nil)
	for range 2 {
		answer, _ := c.do(t, c.request(t, "HEAD", "/", nil))
		require.EqualValues(t, 5, answer.ContentLength)
		answer, _ = c.do(t, c.request(t, "GET", "/304", nil))
		require.Equal(t, 304, answer.StatusCode)
		answer, _ = c.do(t, c.request(t, "GET", "/204", nil))
		require.Equal(t, 204, answer.StatusCode)
	}
}

func TestABackendThatDoesNotAnswer(t *testing.T) {
	leave := make(chan struct{})
	c := run(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-leave
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}, func(p *proxy) { p.client.HeadTimeout = 50 * time.Millisecond })
	defer close(leave)
	answer, _ := c.do(t, c.request(t, "GET", "/dies", nil))
	require.Equal(t, 502, answer.StatusCode)
	answer, _ = c.do(t, c.request(t, "GET", "/slow", nil))
	require.Equal(t, 504, answer.StatusCode)
	c = run(t, nil, func(p *proxy) { p.backend = "127.0.0.1:1" })
	answer, _ = c.do(t, c.request(t, "GET", "/", nil))
	require.Equal(t, 502, answer.StatusCode)
}

func TestABackendThatDiesInTheMiddleCutsTheAnswerOff(t *testing.T) {
	c := run(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, nil)
	answer, err := c.client.Do(c.request(t, "GET", "/", nil))
	require.NoError(t, err)
	_, err = io.ReadAll(answer.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NoError(t, answer.Body.Close())
}

func TestAClientThatLeavesEndsTheRequestToTheBackend(t *testing.T) {
	arrived, left := make(chan struct{}), make(chan struct{})
	c := run(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		close(arrived)
		<-r.Context().Done()
		close(left)
	}, nil)
	parent, leave := context.WithCancel(t.Context())
	answer, err := c.client.Do(c.request(t, "GET", "/", nil).WithContext(parent))
	require.NoError(t, err)
	<-arrived
	leave()
	<-left
	require.NoError(t, answer.Body.Close())
}

func TestTheBackendDecidesBeforeTheBodyIsSent(t *testing.T) {
	c := run(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			w.WriteHeader(413)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
	}, func(p *proxy) { p.client.ContinueWait = time.Minute })
	for path, want := range map[string]string{"/": "100 Continue", "/refused": "413 Request Entity Too Large"} {
		conn, err := net.Dial("tcp", c.addr)
		require.NoError(t, err)
		_, err = io.WriteString(conn, "PUT "+path+" HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
		require.NoError(t, err)
		in := bufio.NewReader(conn)
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "HTTP/1.1 "+want, strings.TrimSpace(line))
		if path == "/" {
			_, err = in.ReadString('\n')
			require.NoError(t, err)
			_, err = io.WriteString(conn, "hello")
			require.NoError(t, err)
			answer, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			require.Equal(t, 200, answer.StatusCode)
			require.NoError(t, answer.Body.Close())
		}
		require.NoError(t, conn.Close())
	}
}

func TestAnEarlyAnswerDoesNotStopTheClient(t *testing.T) {
	c := run(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(403)
	}, nil)
	for range 2 {
		answer, _ := c.do(t, c.request(t, "PUT", "/", io.LimitReader(pattern{}, 4<<20)))
		require.Equal(t, 403, answer.StatusCode)
	}
}

// pattern is an endless body that is not all zero.
type pattern struct{}

func (pattern) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i * 7)
	}
	return len(p), nil
}

// counted counts what is read of it.
type counted struct {
	io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// stalls waits until n does not grow any more and returns it.
func stalls(t *testing.T, n *atomic.Int64) int64 {
	t.Helper()
	var last int64
	same := 0
	require.Eventually(t, func() bool {
		now := n.Load()
		if now == 0 || now != last {
			last, same = now, 0
		} else {
			same++
		}
		return same > 20
	}, 20*time.Second, 10*time.Millisecond)
	return last
}

const (
	size    = 64 << 20
	between = 24 << 20 // most that the kernel's buffers of both connections, and the proxy, hold together
)

// program is the proxy as a process of its own, so that its memory can be told from the test's.
func program(t *testing.T, backend string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "tcp://127.0.0.1:0", backend)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stderr = t.Output()
	return cmd
}

// peakBytes is the most memory that the process ever had, and whether the system tells.
func peakBytes(cmd *exec.Cmd) (int64, bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}

func TestProgramNeedsLittleMemoryWhicheverSideIsSlow(t *testing.T) {
	down := &counted{Reader: io.LimitReader(pattern{}, size)}
	up := &counted{Reader: io.LimitReader(pattern{}, size)}
	read := make(chan struct{})
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Length", strconv.Itoa(size))
			_, _ = io.Copy(w, down)
			return
		}
		<-read
		sum := sha256.New()
		_, _ = io.Copy(sum, r.Body)
		_, _ = fmt.Fprintf(w, "%x", sum.Sum(nil))
	}))
	defer backend.Close()
	cmd := program(t, backend.Listener.Addr().String())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url = strings.TrimSpace(url)
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(pattern{}, size))
	require.NoError(t, err)
	want := fmt.Sprintf("%x", sum.Sum(nil))

	answer, err := http.Get(url) // the client is slow: the backend has to stop
	require.NoError(t, err)
	require.Less(t, stalls(t, &down.n), int64(between))
	sum.Reset()
	_, err = io.Copy(sum, answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, want, fmt.Sprintf("%x", sum.Sum(nil)))

	got := make(chan string, 1) // the backend is slow: the client has to stop
	go func() {
		answer, err := http.Post(url, "a/b", up)
		if err != nil {
			got <- err.Error()
			return
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		got <- string(body)
	}()
	require.Less(t, stalls(t, &up.n), int64(between))
	close(read)
	require.Equal(t, want, <-got)

	if peak, ok := peakBytes(cmd); ok {
		t.Logf("peak memory %.1f MiB", float64(peak)/(1<<20))
		require.Less(t, peak, int64(maxPeak))
	}
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), "the exit code is 0")
}
