//go:build interop

package main

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func portOf(t *testing.T, addr string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	return port
}

func TestNodeFindsNoFault(t *testing.T) {
	out := output(t, "node", "testdata/client.js", portOf(t, serve(t)))
	t.Log(out)
	require.Contains(t, out, "\ndone\n")
}

func TestPythonFindsNoFault(t *testing.T) {
	out := output(t, "python3", "testdata/client.py", portOf(t, serve(t)))
	t.Log(out)
	require.Contains(t, out, "\ndone\n")
}
