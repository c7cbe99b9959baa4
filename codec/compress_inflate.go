package codec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash"
	"hash/adler32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Readers of the libraries, kept for the next stream. A reader whose stream broke off is as good as new after its
// reset; one that panicked is not kept.
var (
	flateReaders = sync.Pool{New: func() any { return newFlateReader() }} // also for Zlib
	gzipReaders  = sync.Pool{New: func() any { return &gzipReader{in: newAhead()} }}
	zstdReaders  sync.Pool // *zstd.Decoder
)

// aheadBytes is how much input is taken at a time for a library that then looks at each byte by itself.
const aheadBytes = 4 << 10

func newAhead() *bufio.Reader { return bufio.NewReaderSize(nil, aheadBytes) }

// inflate runs a whole stream from f to f. What a library has made is written as soon as it is there: a Read into a
// buffer of some size would wait for more input with output in its hands.
func (c Compression) inflate(f *feed) error {
	switch c {
	case Gzip:
		return inflateGzip(f)
	case Zlib:
		return inflateFlate(f, (*flateReader).zlib)
	case Deflate:
		return inflateFlate(f, (*flateReader).flate)
	case Zstd:
		return inflateZstd(f)
	}
	return c.check()
}

// flateReader reads the formats that are one deflated stream each.
type flateReader struct {
	in      *bufio.Reader
	inflate io.ReadCloser // a flate.Resetter and io.WriterTo
	sum     hash.Hash32
	out     io.Writer
}

func newFlateReader() *flateReader {
	r := &flateReader{in: newAhead(), sum: adler32.New()}
	r.inflate = flate.NewReader(r.in)
	return r
}

func inflateFlate(f *feed, run func(*flateReader, io.Writer) error) error {
	r := flateReaders.Get().(*flateReader)
	f.ahead = r.in
	r.in.Reset(f)
	err := run(r, f)
	f.keepUnused()
	r.in.Reset(nil)
	r.out = nil
	flateReaders.Put(r)
	return err
}

// flate inflates RFC 1951.
func (r *flateReader) flate(out io.Writer) error {
	if err := r.inflate.(flate.Resetter).Reset(r.in, nil); err != nil { //nolint:errcheck // it is one
		return err
	}
	_, err := r.inflate.(io.WriterTo).WriteTo(out) //nolint:errcheck // it is one
	return err
}

// zlib inflates RFC 1950, whose reader in the library has no WriteTo.
func (r *flateReader) zlib(out io.Writer) error {
	var word [4]byte
	if _, err := io.ReadFull(r.in, word[:2]); err != nil {
		return err
	}
	// Section 2.2: CM is 8, CINFO at most 7, and the check bits make the word a multiple of 31.
	if word[0]&0x0f != 8 || word[0]>>4 > 7 || binary.BigEndian.Uint16(word[:])%31 != 0 {
		return errZlibHeader
	}
	if word[1]&0x20 != 0 {
		return errZlibDictionary
	}
	r.sum.Reset()
	r.out = out
	if err := r.flate(r); err != nil {
		return err
	}
	if _, err := io.ReadFull(r.in, word[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(word[:]) != r.sum.Sum32() {
		return errZlibSum
	}
	return nil
}

var (
	errZlibHeader     = errors.New("no header of zlib")
	errZlibDictionary = errors.New("preset dictionary")
	errZlibSum        = errors.New("wrong checksum")
)

// Write sums what comes out of a zlib stream on its way.
func (r *flateReader) Write(p []byte) (int, error) {
	_, _ = r.sum.Write(p) // never fails
	return r.out.Write(p)
}

// gzipReader reads RFC 1952, all members in a row.
type gzipReader struct {
	in *bufio.Reader
	gzip.Reader
}

func inflateGzip(f *feed) error {
	r := gzipReaders.Get().(*gzipReader)
	f.ahead = r.in
	r.in.Reset(f)
	err := r.Reset(r.in)
	if err == nil {
		_, err = r.WriteTo(f)
	}
	f.keepUnused()
	r.in.Reset(nil)
	r.Header = gzip.Header{}
	gzipReaders.Put(r)
	return err
}

func inflateZstd(f *feed) error {
	d, _ := zstdReaders.Get().(*zstd.Decoder)
	if d == nil {
		var err error
		// One decoder means that nothing runs beside the caller.
		if d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true)); err != nil {
			return err
		}
	}
	window := uint64(f.limit.windowBytes())
	err := d.ResetWithOptions(f, zstd.WithDecoderMaxMemory(window), zstd.WithDecoderMaxWindow(max(window, zstd.MinWindowSize)))
	if err == nil {
		_, err = d.WriteTo(f)
	}
	if window > DefaultMaxWindow {
		d.Close() // that much memory is not kept
	} else if d.Reset(nil) == nil {
		zstdReaders.Put(d)
	}
	return err
}

// tooMuch reports whether a library refused to take the memory that a stream asks for.
func tooMuch(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}
