package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram makes the test binary run main with its arguments.
const asProgram = "HTTP_INTEROP_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// fileSize is the size of the files that folder has.
const fileSize = 1 << 20

// fileText is lines that say where they stand.
var fileText = func() string {
	var text strings.Builder
	for text.Len() < fileSize {
		fmt.Fprintf(&text, "%015d\n", text.Len())
	}
	return text.String()
}()

// folder has the same in a file with a compressed copy for those who like it, and in one without.
func folder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"lines.txt", "lines.bin"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(fileText), 0o600))
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte(fileText))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(folder, "lines.txt.gz"), zipped.Bytes(), 0o600))
	return folder
}

// serve runs the server on a free port for the length of the test and gives its address.
func serve(t *testing.T) string {
	t.Helper()
	root, err := os.OpenRoot(folder(t))
	require.NoError(t, err)
	s, err := newServer(root)
	require.NoError(t, err)
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
		require.NoError(t, root.Close())
	})
	return s.Addrs()[0].String()
}
