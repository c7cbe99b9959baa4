//go:build interop

package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// newClient is a client of other people's servers.
func newClient(t *testing.T) *httpx.Client {
	t.Helper()
	sockets := &transport.Client{Loops: 1}
	client := &httpx.Client{Dial: sockets.Dial, MaxRedirects: 3}
	t.Cleanup(func() {
		require.NoError(t, client.Close())
		require.NoError(t, sockets.Close())
	})
	return client
}

// started runs a server until the test ends and gives the first match of port in what it prints.
func started(t *testing.T, port, name string, args ...string) string {
	t.Helper()
	cmd := command(t, name, args...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = t.Output()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	found := regexp.MustCompile(port).FindStringSubmatch(line)
	require.Len(t, found, 2, line)
	return "http://127.0.0.1:" + found[1]
}

// do sends a request with fields and a body, and gives the response until the test ends.
func do(t *testing.T, c *httpx.Client, method httpx.Method, url, body string, fields ...string) (*httpx.FullResponse, error) {
	t.Helper()
	parent, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	req := httpx.NewFullRequest(method, url)
	req.SetBodyString(body)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(t, req.Header.Add(fields[i], fields[i+1]))
	}
	r, err := c.Do(parent, req)
	if err == nil {
		t.Cleanup(r.Release)
	}
	return r, err
}

// got is do for what has to succeed.
func got(t *testing.T, c *httpx.Client, method httpx.Method, url, body string, fields ...string) *httpx.FullResponse {
	t.Helper()
	r, err := do(t, c, method, url, body, fields...)
	require.NoError(t, err)
	return r
}

func TestOurClientAndNodesServer(t *testing.T) {
	url := started(t, `^(\d+)`, "node", "testdata/server.js")
	c := newClient(t)
	for range 50 {
		require.Equal(t, "hello\n", string(got(t, c, "GET", url+"/hello", "").Body()))
	}
	require.Equal(t, "1", string(got(t, c, "GET", url+"/connections", "").Body()), "connections")

	large := strings.Repeat("0123456789", 50_000)
	r := got(t, c, "POST", url+"/echo", large)
	require.Equal(t, large, string(r.Body()))
	require.Equal(t, "length 500000", string(r.Header.Get("x-framing")))
	r = got(t, c, "POST", url+"/echo", large, "Transfer-Encoding", "chunked")
	require.Equal(t, large, string(r.Body()))
	require.Equal(t, "chunked", string(r.Header.Get("x-framing")))
	r = got(t, c, "POST", url+"/echo", large, "Expect", "100-continue")
	require.Equal(t, large, string(r.Body()))
	r = got(t, c, "POST", url+"/refuse", large, "Expect", "100-continue")
	require.Equal(t, 417, r.Status)

	r = got(t, c, "GET", url+"/stream", "")
	require.Equal(t, 500, strings.Count(string(r.Body()), "\n"))
	require.Equal(t, "500", string(r.Trailer.Get("x-pieces")))
	require.Equal(t, "late\n", string(got(t, c, "GET", url+"/early", "").Body()))
	require.Equal(t, "bye\n", string(got(t, c, "GET", url+"/close", "").Body()))
	require.Equal(t, "all there is", string(got(t, c, "GET", url+"/until-close", "").Body()))
	require.Equal(t, 204, got(t, c, "GET", url+"/nothing", "").Status)
	require.Empty(t, got(t, c, "HEAD", url+"/stream", "").Body())
	require.Equal(t, "hello\n", string(got(t, c, "GET", url+"/moved", "").Body()))
	require.Equal(t, 404, got(t, c, "GET", url+"/none", "").Status)

	zipped, err := gzip.NewReader(strings.NewReader(string(got(t, c, "GET", url+"/gzip", "").Body())))
	require.NoError(t, err)
	plain, err := io.ReadAll(zipped)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", 10_000), string(plain))
}

func TestOurClientWhenNodesServerFails(t *testing.T) {
	url := started(t, `^(\d+)`, "node", "testdata/server.js")
	c := newClient(t)
	got(t, c, "GET", url+"/hello", "")
	require.Equal(t, "alive\n", string(got(t, c, "GET", url+"/die", "").Body()), "sent again, since the connection was an old one")
	_, err := do(t, c, "POST", url+"/die", "x")
	require.ErrorIs(t, err, httpx.ErrServerGone, "not sent again")
	_, err = do(t, c, "GET", url+"/cut", "")
	require.ErrorIs(t, err, httpx.ErrServerGone)
	require.Equal(t, "hello\n", string(got(t, c, "GET", url+"/hello", "").Body()))
}

func TestOurClientAndPythonsServer(t *testing.T) {
	folder := t.TempDir()
	large := strings.Repeat("0123456789", 50_000)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "large"), []byte(large), 0o600))
	for _, version := range []string{"HTTP/1.0", "HTTP/1.1"} {
		t.Run(version, func(t *testing.T) {
			url := started(t, ` port (\d+) `, "python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", folder, "-p", version)
			c := newClient(t)
			for range 5 {
				require.Equal(t, large, string(got(t, c, "GET", url+"/large", "").Body()))
				require.Equal(t, "500000", string(got(t, c, "HEAD", url+"/large", "").Header.Get("content-length")))
				require.Equal(t, 404, got(t, c, "GET", url+"/none", "").Status)
				require.Equal(t, 501, got(t, c, "POST", url+"/large", "x").Status)
			}
		})
	}
}

func TestOurClientOurServerAndHAProxyBetween(t *testing.T) {
	addr, stats := proxy(t, serve(t))
	require.Eventually(t, func() bool { return backend(t, stats)["status"] == "UP" }, 20*time.Second, 50*time.Millisecond)
	c := newClient(t)
	large := strings.Repeat("0123456789", 50_000)
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			for j := range 20 {
				text := large[:i*1000+j]
				r, err := do(t, c, "POST", "http://"+addr+"/echo", text)
				if err != nil || string(r.Body()) != text {
					t.Error(err)
					return
				}
			}
		})
	}
	clients.Wait()
	require.Equal(t, sumOf(large), string(got(t, c, "PUT", "http://"+addr+"/sum", large, "Expect", "100-continue").Body()))
	require.Equal(t, "500", string(got(t, c, "GET", "http://"+addr+"/stream?pieces=500", "").Trailer.Get("x-pieces")))
	require.Equal(t, fmt.Sprint(fileSize), string(got(t, c, "HEAD", "http://"+addr+"/files/lines.bin", "").Header.Get("content-length")))
}
