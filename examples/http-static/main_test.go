package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/pipeline/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFilesAreServedWholeInPartsAndCompressed(t *testing.T) {
	folder := t.TempDir()
	text := strings.Repeat("all work and no play\n", 1000)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte("<p>hello"), 0o600))
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	_, err := io.WriteString(packer, text)
	require.NoError(t, err)
	require.NoError(t, packer.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt.gz"), packed.Bytes(), 0o600))
	root, err := os.OpenRoot(folder)
	require.NoError(t, err)
	server := transport.Server{Init: initFiles(root)}
	require.NoError(t, server.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context()) }()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	base := "http://" + server.Addrs()[0].String()

	for _, step := range []struct {
		path, name, value string
		status            int
		body              string
	}{
		{"/", "", "", 200, "<p>hello"},
		{"/a.txt", "", "", 200, text},
		{"/a.txt", "Range", "bytes=4-7", 206, "work"},
		{"/a.txt", "Accept-Encoding", "gzip", 200, text},
		{"/b.txt", "", "", 404, "Not Found\n"},
		{"/../../etc/passwd", "", "", 404, "Not Found\n"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+step.path, nil)
		require.NoError(t, err)
		if step.name != "" {
			request.Header.Set(step.name, step.value)
		}
		answer, err := client.Do(request)
		require.NoError(t, err)
		body := io.Reader(answer.Body)
		if answer.Header.Get("Content-Encoding") == "gzip" {
			body, err = gzip.NewReader(body)
			require.NoError(t, err)
		} else {
			require.NotEqual(t, "Accept-Encoding", step.name, "text is compressed")
		}
		got, err := io.ReadAll(body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, step.status, answer.StatusCode, step.path)
		require.Equal(t, step.body, string(got), step.path)
	}
	client.CloseIdleConnections()
	require.NoError(t, server.Close())
	require.NoError(t, <-served)
	require.NoError(t, root.Close())
}
