package nethttp

import (
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/penstock-go/penstock/pipeline"
)

const (
	smallFile   = 16 << 10 // octets below which copying costs less than sending from the file
	fileRegion  = 1 << 20  // octets of a file that are sent as one message
	copyOctets  = 32 << 10
	sniffOctets = 512
)

var copyBuffers = sync.Pool{New: func() any { return new([copyOctets]byte) }}

// onlyWriter hides ReadFrom.
type onlyWriter struct{ io.Writer }

// ReadFrom is Write with all that src gives. A regular file, or a part of one behind an io.LimitedReader, goes straight
// from the file when the answer has a Content-Length.
func (r *response) ReadFrom(src io.Reader) (int64, error) {
	if n, ok, err := r.sendFile(src); ok {
		return n, err
	}
	room := copyBuffers.Get().(*[copyOctets]byte)
	defer copyBuffers.Put(room)
	return io.CopyBuffer(onlyWriter{r}, src, room[:])
}

// part is a part of a file that can be sent.
type part struct {
	file   *os.File
	off, n int64
}

// partOf returns what src would give, if that is a part of a regular file.
func partOf(src io.Reader) (p part, ok bool) {
	limit := int64(-1)
	if l, limited := src.(*io.LimitedReader); limited {
		src, limit = l.R, l.N
	}
	f, ok := src.(*os.File)
	if !ok {
		return p, false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return p, false
	}
	off, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return p, false
	}
	n := info.Size() - off
	if limit >= 0 {
		n = min(n, limit)
	}
	return part{f, off, n}, n >= smallFile
}

// sendFile sends src without copying; ok is false, and nothing has happened, when that is not possible.
func (r *response) sendFile(src io.Reader) (n int64, ok bool, err error) {
	p, ok := partOf(src)
	if !ok {
		return 0, false, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writing(0) != nil || r.failed != nil || !r.takesFile(p.n) {
		return 0, false, nil
	}
	own, ok := reopen(p.file)
	if !ok {
		return 0, false, nil
	}
	if _, err = p.file.Seek(p.n, io.SeekCurrent); err != nil {
		_ = own.Close()
		return 0, true, err
	}
	if l, limited := src.(*io.LimitedReader); limited {
		l.N -= p.n
	}
	r.open(false)
	n, err = r.sendPart(part{own, p.off, p.n})
	return n, true, err
}

// takesFile reports whether n octets of a file may come next. A body whose type has to be found is copied, at least to
// begin with.
func (r *response) takesFile(n int64) bool {
	return r.length >= 0 && r.written+n <= r.length && bodyAllowed(r.status) && !r.leaves() &&
		r.c.req.Method != http.MethodHead && (r.decided || r.head.typed || r.head.encoded || r.kept() > 0)
}

// sendPart sends p piece by piece; the last one closes the file.
func (r *response) sendPart(p part) (sent int64, err error) {
	if err = r.send(nil); err != nil {
		_ = p.file.Close()
		return 0, err
	}
	for sent < p.n {
		if err = r.room(); err != nil {
			_ = p.file.Close()
			return sent, err
		}
		n := int(min(fileRegion, p.n-sent))
		last := sent+int64(n) == p.n
		if err = r.note(r.c.push(n, pipeline.NewFileRegion(p.file, p.off+sent, n, last))); err != nil {
			if !last {
				_ = p.file.Close()
			}
			return sent, err
		}
		sent += int64(n)
		r.written += int64(n)
	}
	return sent, nil
}

// reopen opens f once more, since its owner closes it when the handler returns and the loop sends it later. ok is false
// when there is another file under its name by now.
func reopen(f *os.File) (own *os.File, ok bool) {
	own, err := os.Open(f.Name())
	if err != nil {
		return nil, false
	}
	is, err1 := own.Stat()
	was, err2 := f.Stat()
	if err1 != nil || err2 != nil || !os.SameFile(is, was) {
		_ = own.Close()
		return nil, false
	}
	return own, true
}
