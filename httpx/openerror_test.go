package httpx

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesThatCannotBeOpenedHaveTheirStatus(t *testing.T) {
	outside := errors.New("path escapes from parent")
	for _, c := range []struct {
		err  error
		want int // 0 = the error itself, so that it is logged
	}{
		{fs.ErrNotExist, 404},
		{syscall.ENOENT, 404},
		{syscall.ENOTDIR, 404},
		{syscall.ENAMETOOLONG, 404},
		{syscall.ELOOP, 404},
		{syscall.EINVAL, 404},
		{syscall.ENXIO, 404},
		{outside, 404},
		{syscall.EACCES, 403},
		{syscall.EMFILE, 503},
		{syscall.ENFILE, 503},
		{syscall.EIO, 0},
	} {
		err := &fs.PathError{Op: "openat", Path: "a", Err: c.err}
		got := openError(err)
		if c.want == 0 {
			require.Equal(t, err, got)
			continue
		}
		requireStatus(t, c.want, got)
	}
}

func TestNamesOutsideOfARootAreNotFound(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	for _, name := range []string{"../a", "/etc/passwd", "a/../../b"} {
		_, err = root.Open(name)
		requireStatus(t, 404, openError(err))
	}
}
