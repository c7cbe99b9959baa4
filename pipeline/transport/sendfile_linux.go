package transport

import (
	"errors"
	"io"
	"os"

	"github.com/penstock-go/penstock/pipeline"
	"golang.org/x/sys/unix"
)

var _ pipeline.FileSender = (*conn)(nil)

// mostSent is how much of a file goes into one system call, so that one channel with a fast peer does not
// keep the loop.
const mostSent = 1 << 20

// SendFile sends from the file without copying its bytes through the process. Call it on the event loop
// only.
func (c *conn) SendFile(f *os.File, off int64, n int) (int, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	sent := 0
	var failure error
	err = raw.Control(func(in uintptr) {
		for {
			sent, failure = unix.Sendfile(c.fd, int(in), &off, min(n, mostSent))
			if !errors.Is(failure, unix.EINTR) {
				return
			}
		}
	})
	if err != nil {
		return 0, err
	}
	if errors.Is(failure, unix.EINVAL) || errors.Is(failure, unix.ENOSYS) || errors.Is(failure, unix.EOPNOTSUPP) {
		return c.copyFile(f, off, n) // not every file system can do it
	}
	if sent == 0 && failure == nil && n > 0 {
		return 0, io.ErrUnexpectedEOF // the file is shorter than announced
	}
	return c.written(sent, "sendfile", failure)
}

// copyFile sends from the file through a buffer.
func (c *conn) copyFile(f *os.File, off int64, n int) (int, error) {
	b := c.loop.core.Pool().Get(min(n, copySize))
	defer c.loop.core.Pool().Put(b)
	got, err := f.ReadAt(b.Reserve(min(n, copySize)), off)
	if got == 0 {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the file is shorter than announced
		}
		return 0, err
	}
	b.Commit(got)
	return c.Writev([][]byte{b.Bytes()})
}

const copySize = 64 << 10
