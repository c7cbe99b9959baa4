package codec

import (
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// ErrDeflateEnded is what a Deflater returns whose stream was closed.
var ErrDeflateEnded = errors.New("codec: compressed stream has ended")

const (
	mostLevel   = 9
	mostZstd    = 4
	deflateSpan = 256 << 10 // window of zstd streams, in bytes: every connection has one
)

// Deflater compresses bytes into one stream. Compressed bytes collect in it until Take; when they have to be complete
// so far is what Flush says, and Close ends the stream. From the first Write until Close or Reset it holds the memory
// that Level says. Set the fields before, and do not copy it once used. It belongs to one goroutine at a time.
type Deflater struct {
	// Format is the algorithm. Required.
	Format Compression
	// Level is how hard it tries: 1 to 9, Zstd 1 to 4. 0 = 1, the fastest. Memory for each stream: 0.8 to 1.4 MiB; Zstd
	// 0.8, 1.8, 4.6 and 35 MiB.
	Level int

	alloc buffer.Allocator
	w     deflateWriter // nil: not started, or ended
	out   sink
	ended bool
}

// deflateWriter is what the libraries' writers have in common.
type deflateWriter interface {
	io.WriteCloser
	Flush() error
	Reset(w io.Writer)
}

var (
	_ Resetter      = (*Deflater)(nil)
	_ AllocatorUser = (*Deflater)(nil)
	_ Checker       = (*Deflater)(nil)
)

// deflateWriters are writers of the libraries, by format and level, kept for the next stream.
var deflateWriters [Zstd + 1][mostLevel + 1]sync.Pool

// UseAllocator implements AllocatorUser. Without it memory is that of buffer.Shared.
func (d *Deflater) UseAllocator(a buffer.Allocator) { d.alloc = a }

// Check implements Checker.
func (d *Deflater) Check() error {
	most := mostLevel
	if d.Format == Zstd {
		most = mostZstd
	}
	if d.Level < 0 || d.Level > most {
		return wrongSettings("%s level %d", d.Format, d.Level)
	}
	return d.Format.check()
}

// Write compresses p. It does not keep p.
func (d *Deflater) Write(p []byte) (int, error) {
	if err := d.start(); err != nil {
		return 0, err
	}
	return d.w.Write(p)
}

func (d *Deflater) start() error {
	if d.ended {
		return ErrDeflateEnded
	}
	if d.w != nil {
		return nil
	}
	if err := d.Check(); err != nil {
		return err
	}
	if d.alloc == nil {
		d.alloc = buffer.Shared()
	}
	d.out.alloc = d.alloc
	w, _ := d.pool().Get().(deflateWriter)
	if w == nil {
		var err error
		if w, err = d.Format.newWriter(d.level()); err != nil {
			return err
		}
	}
	w.Reset(&d.out)
	d.w = w
	return nil
}

func (d *Deflater) level() int { return orDefault(d.Level, 1) }

func (d *Deflater) pool() *sync.Pool { return &deflateWriters[d.Format][d.level()] }

// newWriter makes a writer of the library.
func (c Compression) newWriter(level int) (deflateWriter, error) {
	switch c {
	case Gzip:
		return gzip.NewWriterLevel(io.Discard, level)
	case Zlib:
		return zlib.NewWriterLevel(io.Discard, level)
	case Deflate:
		return flate.NewWriter(io.Discard, level)
	case Zstd:
		// One encoder means that nothing runs beside the caller.
		return zstd.NewWriter(io.Discard, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
			zstd.WithWindowSize(deflateSpan), zstd.WithEncoderLevel(zstd.EncoderLevel(level)))
	}
	return nil, c.check()
}

// Flush makes the output so far complete: the peer can inflate everything that was written.
func (d *Deflater) Flush() error {
	if d.w == nil {
		return nil
	}
	return d.w.Flush()
}

// Close ends the stream; nothing is written when nothing was. Afterwards only Take and Reset are of use.
func (d *Deflater) Close() error {
	w := d.w
	d.w, d.ended = nil, true
	if w == nil {
		return nil
	}
	err := w.Close()
	d.giveBack(w)
	return err
}

// giveBack keeps w for another stream. It must not refer to this one any more.
func (d *Deflater) giveBack(w deflateWriter) {
	w.Reset(io.Discard)
	d.pool().Put(w)
}

// Pending is the number of compressed bytes that Take would return.
func (d *Deflater) Pending() int { return d.out.n }

// Take returns the compressed bytes so far, a *buffer.Buffer or a *buffer.Composite, nil when there are none. The caller
// must Release the result.
func (d *Deflater) Take() any { return d.out.take() }

// Reset implements Resetter: it drops everything and is ready for another stream.
func (d *Deflater) Reset() {
	if d.w != nil {
		d.giveBack(d.w)
	}
	buffer.Release(d.out.take())
	d.w, d.ended = nil, false
}
