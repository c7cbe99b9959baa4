package httpx

import (
	"errors"
	"io/fs"
	"syscall"
)

var (
	errIsDirectory  = errors.New("httpx: a directory")
	errTooManyFiles = refuse(statusUnavailable, "too many open files")
	errFileDenied   = refuse(statusForbidden, "no permission to read a file")
)

// openError says what to answer: a name that leads nowhere, outside, or round and round is not found.
func openError(err error) error {
	var number syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errNotFound
	case errors.Is(err, fs.ErrPermission):
		return errFileDenied
	case !errors.As(err, &number):
		return errNotFound // os.Root refuses what leads outside
	}
	switch number {
	case syscall.EMFILE, syscall.ENFILE:
		return errTooManyFiles
	case syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP, syscall.EINVAL, syscall.ENXIO:
		return errNotFound
	default:
		return err
	}
}
