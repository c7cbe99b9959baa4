package httpx_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// serveReal serves f on a port of this machine until the test ends, and returns its address.
func serveReal(t *testing.T, f httpx.HandlerFunc) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	parent, cancel := context.WithCancel(context.Background())
	srv := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: f}), Loops: 2}
	ended := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() { ended <- srv.Serve(parent, l) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
		<-ended
	})
	return "http://" + l.Addr().String()
}

func TestFilesAreSentByTheKernel(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 1<<18)
	f, _ := tree(t, map[string]string{"big": big, "small": "hello"})
	address := serveReal(t, f.Serve)
	client := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, c := range []struct{ path, ranges, want string }{
				{"/big", "", big}, {"/small", "", "hello"}, {"/big", "bytes=1000000-3000000", big[1000000:3000001]}, {"/big", "", big},
			} {
				request, err := http.NewRequest(http.MethodGet, address+c.path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if c.ranges != "" {
					request.Header.Set("Range", c.ranges)
				}
				answer, err := client.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || string(body) != c.want {
					t.Errorf("%s: %d of %d octets, %v", c.path, len(body), len(c.want), err)
				}
			}
		})
	}
	wg.Wait()
	client.CloseIdleConnections()
	require.Eventually(t, func() bool { return f.OpenFiles() == 0 }, 10*time.Second, time.Millisecond)
}
