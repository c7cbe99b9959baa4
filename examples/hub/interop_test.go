//go:build interop

package main

import (
	"context"
	"net"
	"os/exec"
	"strings"
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
