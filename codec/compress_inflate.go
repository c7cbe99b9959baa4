package codec

import (
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Readers of the libraries, kept for the next stream. A reader whose stream broke off is as good as new after its
// Reset.
var (
	flateReaders sync.Pool // flate.Resetter
	zlibReaders  sync.Pool // zlib.Resetter
	gzipReaders  sync.Pool // *gzip.Reader
	zstdReaders  sync.Pool // *zstd.Decoder
)

// zlibSpan is how many bytes a zlib reader gives at a time.
const zlibSpan = 4 << 10

// inflate runs a whole stream from f to f. What a library has made is written as soon as it is there: a Read into a
// buffer of some size would wait for more input with output in its hands.
func (c Compression) inflate(f *feed, limit Cap) error {
	switch c {
	case Gzip:
		return inflateGzip(f)
	case Zlib:
		return inflateZlib(f)
	case Deflate:
		return inflateFlate(f)
	case Zstd:
		return inflateZstd(f, limit)
	}
	return c.check()
}

func inflateFlate(f *feed) error {
	r, _ := flateReaders.Get().(io.Reader)
	if r == nil {
		r = flate.NewReader(f)
	} else if err := r.(flate.Resetter).Reset(f, nil); err != nil { //nolint:errcheck // it is one
		return err
	}
	_, err := r.(io.WriterTo).WriteTo(f) //nolint:errcheck // it is one
	flateReaders.Put(r)
	return err
}

func inflateZlib(f *feed) error {
	var err error
	r, _ := zlibReaders.Get().(io.Reader)
	if r == nil {
		if r, err = zlib.NewReader(f); err != nil {
			return err
		}
	} else {
		err = r.(zlib.Resetter).Reset(f, nil) //nolint:errcheck // it is one
	}
	if err == nil {
		// This reader has no WriteTo. It can't be given the room of a call: that may be over when it has something.
		_, err = io.CopyBuffer(f, r, make([]byte, zlibSpan))
	}
	zlibReaders.Put(r)
	return err
}

func inflateGzip(f *feed) error {
	r, _ := gzipReaders.Get().(*gzip.Reader)
	if r == nil {
		r = new(gzip.Reader)
	}
	err := r.Reset(f)
	if err == nil {
		_, err = r.WriteTo(f)
	}
	gzipReaders.Put(r)
	return err
}

func inflateZstd(f *feed, limit Cap) error {
	d, _ := zstdReaders.Get().(*zstd.Decoder)
	if d == nil {
		var err error
		// One decoder means that nothing runs beside the caller.
		if d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true)); err != nil {
			return err
		}
	}
	window := uint64(limit.windowBytes())
	err := d.ResetWithOptions(f, zstd.WithDecoderMaxMemory(window), zstd.WithDecoderMaxWindow(max(window, zstd.MinWindowSize)))
	if err == nil {
		_, err = d.WriteTo(f)
	}
	if d.Reset(nil) == nil {
		zstdReaders.Put(d)
	}
	return err
}

// tooMuch reports whether a library refused to take the memory that a stream asks for.
func tooMuch(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}
