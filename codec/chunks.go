package codec

import (
	"errors"
	"io"
	"os"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
)

// DefaultChunkBytes is the size of the chunks of files and readers.
const DefaultChunkBytes = 64 << 10

// NextChunk gives the next piece of a Chunks: bytes, a *pipeline.FileRegion, or any message that a handler in front of
// the ChunkedWriter encodes. nil without an error means that there is nothing now; it is called again after
// ResumeTransfer. io.EOF ends the transfer, any other error makes it fail. It must not block: it runs on the event loop.
// The ChunkedWriter owns msg.
type NextChunk func(ctx *pipeline.Context) (msg any, err error)

// Chunks is an outbound message that is made while it is sent, a piece at a time, when the socket can take it. It
// needs a ChunkedWriter in the pipeline. Its promise completes when the last byte of the last piece reached the kernel
// and the input is closed.
//
// The input is closed exactly once, whatever becomes of the message. A Chunks is for one channel and can't be shared.
type Chunks struct {
	// Progress, when set, is told after each piece has reached the kernel how many bytes of the transfer have; a piece
	// that is not bytes counts what its method Len() int says, or 0. It runs on the event loop, inside the flush.
	Progress func(sentBytes int64)

	next   NextChunk
	close  func() error // nil: nothing to close
	refs   atomic.Int32
	closed atomic.Bool
}

// NewChunks makes a message whose pieces next gives. closeInput (nil = nothing) is called once, on the event loop or
// wherever the message is dropped; an error of it fails the promise when nothing else has.
func NewChunks(next NextChunk, closeInput func() error) *Chunks {
	c := &Chunks{next: next, close: closeInput}
	c.refs.Store(1)
	return c
}

// NewReaderChunks makes a message of everything that r gives, in pieces of up to chunkBytes (0 = DefaultChunkBytes).
// r must not block; no bytes without an error, and pipeline.ErrWouldBlock, mean nothing now. It takes r, which is closed
// if it is an io.Closer.
func NewReaderChunks(r io.Reader, chunkBytes int) *Chunks {
	chunkBytes = orDefault(chunkBytes, DefaultChunkBytes)
	var end error // came with the last bytes
	next := func(ctx *pipeline.Context) (any, error) {
		if end != nil {
			return nil, end
		}
		b := ctx.Alloc(chunkBytes)
		n, err := r.Read(b.Reserve(chunkBytes))
		if errors.Is(err, pipeline.ErrWouldBlock) {
			err = nil
		}
		if n <= 0 {
			ctx.Release(b)
			return nil, err
		}
		b.Commit(n)
		end = err
		return b, nil
	}
	var closeInput func() error
	if c, ok := r.(io.Closer); ok {
		closeInput = c.Close
	}
	return NewChunks(next, closeInput)
}

// NewFileChunks makes a message of n bytes of f from offset off, in pieces of up to chunkBytes (0 = DefaultChunkBytes)
// that transports which can send without copying. A file that turns out to be shorter closes the channel, since the
// peer can't be told otherwise. It takes f, which is closed.
func NewFileChunks(f *os.File, off, n int64, chunkBytes int) *Chunks {
	size := int64(orDefault(chunkBytes, DefaultChunkBytes))
	end := off + max(n, 0)
	next := func(*pipeline.Context) (any, error) {
		k := min(size, end-off)
		if k == 0 {
			return nil, io.EOF
		}
		r := pipeline.NewFileRegion(f, off, int(k), false)
		off += k
		return r, nil
	}
	return NewChunks(next, f.Close)
}

// Retain adds a reference. Safe for concurrent use.
func (c *Chunks) Retain() { c.refs.Add(1) }

// Release gives one up; the last one closes the input unless the transfer has. Safe for concurrent use.
func (c *Chunks) Release() {
	switch n := c.refs.Add(-1); {
	case n == 0:
		_ = c.closeInput() // who dropped the message has no use for an error
	case n < 0:
		panic("codec: Chunks released twice") //nolint:forbidigo // misuse by the program
	}
}

// closeInput closes the input once.
func (c *Chunks) closeInput() error {
	if c.close == nil || c.closed.Swap(true) {
		return nil
	}
	return c.close()
}
