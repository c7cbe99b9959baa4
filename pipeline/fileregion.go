package pipeline

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// FileRegion is an outbound message: n bytes of a file from an offset. Transports that are a FileSender send it
// without copying, the others read it through a buffer. A file that turns out to be shorter closes the
// channel, with an error that matches io.ErrUnexpectedEOF.
//
// It is Counted: the last Release closes the file if it was made with closeFile. It is written once, to one
// channel; Retain and Release are safe for concurrent use.
type FileRegion struct {
	file      *os.File
	off       int64
	left      int
	refs      atomic.Int32
	closeFile bool
	released  func()
}

// NewFileRegion makes a message of n bytes of f from off, with one reference. f must not be written to until the
// region is sent. Safe for concurrent use.
func NewFileRegion(f *os.File, off int64, n int, closeFile bool) *FileRegion {
	r := &FileRegion{file: f, off: off, left: n, closeFile: closeFile}
	r.refs.Store(1)
	return r
}

// Len is the number of bytes not sent yet. Call it on the event loop only.
func (r *FileRegion) Len() int { return r.left }

// Read implements io.Reader for handlers that change the bytes on their way: what it gives is no part of the region any
// more. io.EOF comes behind the last byte, io.ErrUnexpectedEOF when the file is shorter than announced. Call it on the
// event loop only.
func (r *FileRegion) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n, err := r.file.ReadAt(p[:min(len(p), r.left)], r.off)
	r.off += int64(n)
	r.left -= n
	switch {
	case n > 0:
		return n, nil
	case err == nil || errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return 0, err
}

// OnRelease has f called behind the last Release, on whatever goroutine that happens: for those who count their open
// files, or send one in several regions. Call it before the region is written. A later f replaces an earlier one.
func (r *FileRegion) OnRelease(f func()) { r.released = f }

// Retain adds a reference. Safe for concurrent use.
func (r *FileRegion) Retain() { r.refs.Add(1) }

// Release gives one up; the last one closes the file if that was asked for. Safe for concurrent use.
func (r *FileRegion) Release() {
	left := r.refs.Add(-1)
	if left < 0 {
		panic("pipeline: FileRegion released twice")
	}
	if left > 0 {
		return
	}
	if r.closeFile {
		_ = r.file.Close() // it was only read from
	}
	if r.released != nil {
		r.released()
	}
}
