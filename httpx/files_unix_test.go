//go:build unix

package httpx_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesThatAreNoneAreNotWaitedFor(t *testing.T) {
	f, dir := tree(t, map[string]string{"a": "x"})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	require.Equal(t, 404, ask(t, f, "GET", "/pipe").StatusCode)
}
