//go:build interop

package main

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// proxy runs HAProxy in front of server for the length of the test, and gives its address and its statistics socket.
func proxy(t *testing.T, server string) (addr, stats string) {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	tcp, ok := l.(*net.TCPListener)
	require.True(t, ok)
	file, err := tcp.File()
	require.NoError(t, err)
	require.NoError(t, l.Close())
	defer file.Close()

	stats = filepath.Join(t.TempDir(), "stats")
	cmd := command(t, "haproxy", "-db", "-f", "testdata/haproxy.cfg")
	cmd.Env = append(os.Environ(), "SERVER="+server, "STATS="+stats)
	cmd.ExtraFiles = []*os.File{file}
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return tcp.Addr().String(), stats
}

// backend is HAProxy's line of statistics about the server behind it, by column.
func backend(t *testing.T, stats string) map[string]string {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "unix", stats)
	if err != nil {
		return nil // not yet
	}
	defer conn.Close()
	_, err = io.WriteString(conn, "show stat\n")
	require.NoError(t, err)
	var names []string
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		columns := strings.Split(strings.TrimPrefix(lines.Text(), "# "), ",")
		if names == nil {
			names = columns
		}
		if len(columns) < 2 || columns[0] != "back" || columns[1] != "one" {
			continue
		}
		row := map[string]string{}
		for i, name := range names {
			row[name] = columns[i]
		}
		return row
	}
	return nil
}

func TestHAProxyFindsTheServerHealthyAndPassesRequestsOn(t *testing.T) {
	addr, stats := proxy(t, serve(t))
	healthy := func() bool {
		row := backend(t, stats)
		return row["status"] == "UP" && row["check_status"] == "L7OK"
	}
	require.Eventually(t, healthy, 20*time.Second, 50*time.Millisecond)
	require.Equal(t, "200", backend(t, stats)["check_code"])

	url := "http://" + addr
	path, body := upload(t)
	require.Equal(t, sumOf(body), output(t, "curl", "-sS", "-T", path, url+"/sum"))
	require.Equal(t, sumOf(body), outputFed(t, body, "curl", "-sS", "-T", "-", url+"/sum"))
	require.Equal(t, body, outputFed(t, body, "curl", "-sS", "-X", "POST", "-T", "-", url+"/echo"))
	require.Equal(t, 500, strings.Count(output(t, "curl", "-sS", url+"/stream?pieces=500"), "\n"))
	require.Contains(t, output(t, "curl", "-sS", "-I", url+"/hello"), "200 OK")
	require.Contains(t, output(t, "curl", "-sS", "-v", url+"/early"), "< HTTP/1.1 103 ")

	before := backend(t, stats)
	out := output(t, "wrk", "-t", "1", "-c", "8", "-d", "1s", url+"/hello")
	require.NotContains(t, out, "Socket errors")
	require.NotContains(t, out, "Non-2xx")
	after := backend(t, stats)
	for _, column := range []string{"econ", "eresp", "wretr", "hrsp_5xx", "chkfail"} {
		require.Equal(t, before[column], after[column], column)
		require.Contains(t, []string{"", "0"}, after[column], column)
	}
	require.NotEqual(t, "0", after["reuse"], "connections to the server are kept")
}

func TestClientsFindNoFaultThroughHAProxy(t *testing.T) {
	addr, stats := proxy(t, serve(t))
	require.Eventually(t, func() bool { return backend(t, stats)["status"] == "UP" }, 20*time.Second, 50*time.Millisecond)
	require.Contains(t, output(t, "node", "testdata/client.js", portOf(t, addr)), "\ndone\n")
	require.Contains(t, output(t, "python3", "testdata/client.py", portOf(t, addr)), "\ndone\n")
}
