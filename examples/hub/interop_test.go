//go:build interop

package main

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPythonClientsExchangeMessages runs Debian's python3-stomp against the hub.
func TestPythonClientsExchangeMessages(t *testing.T) {
	_, port, err := net.SplitHostPort(serve(t, mustHub(t)))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "/usr/bin/python3", "testdata/exchange.py", port).CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(out), "1000 messages, 1000 receipts, in order"))
}

// TestCurlReadsThePage runs curl against the hub, three requests on one connection.
func TestCurlReadsThePage(t *testing.T) {
	addr := serve(t, mustHub(t))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "curl", "-sS", "-w", "%{http_code} %{num_connects}\n", "-o", "/dev/null",
		"http://"+addr+"/", "-o", "/dev/null", "http://"+addr+"/status.json", "-o", "/dev/null", "http://"+addr+"/none").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "200 1\n200 0\n404 0\n", string(out))
}

// TestBrowsersShowMessagesAndTheReport runs Chromium, driven by Node's playwright-core, on the hub's page. With -artifacts
// a picture of it stays.
func TestBrowsersShowMessagesAndTheReport(t *testing.T) {
	h := mustHub(t)
	addr := serve(t, h)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	var telling sync.WaitGroup
	telling.Go(func() { h.tell(ctx, 100*time.Millisecond) })
	defer telling.Wait()
	defer cancel()
	picture := filepath.Join(t.ArtifactDir(), "hub.png")
	out, err := exec.CommandContext(ctx, "node", "testdata/browser.cjs", "http://"+addr+"/", picture).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "done\n")
	require.FileExists(t, picture)
}
