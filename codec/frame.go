package codec

import "github.com/penstock-go/penstock/pipeline/buffer"

// DefaultMaxLine is the limit of Line and Delimiter in bytes, DefaultMaxFrame that of LengthField, LengthPrefix,
// Varint and VarintPrefix.
const (
	DefaultMaxLine  = 8 << 10
	DefaultMaxFrame = 1 << 20
)

// orDefault is v, or fallback when v is not positive.
func orDefault(v, fallback int) int {
	if v <= 0 {
		return fallback
	}
	return v
}

// copyMost is the size up to which a frame is copied: below it that is cheaper than a reference, and a small frame does
// not pin a large read buffer.
const copyMost = 256

// cutter takes frames off a buffer. Decoders of frames embed it.
type cutter struct{ alloc buffer.Allocator }

// UseAllocator implements AllocatorUser. Without it memory is that of buffer.Shared.
func (c *cutter) UseAllocator(a buffer.Allocator) { c.alloc = a }

// front is a frame of the first n bytes of in: a copy, or above 256 bytes a view of in's memory. The caller must
// Release it.
func (c *cutter) front(in *buffer.Buffer, n int) *buffer.Buffer {
	if n > copyMost {
		s := in.Slice(0, n)
		f := s.Buffer()
		s.Release()
		return f
	}
	if c.alloc == nil {
		c.alloc = buffer.Shared()
	}
	f := c.alloc.Get(n)
	f.Append(in.Peek(n))
	return f
}

// cut is front that also consumes the bytes.
func (c *cutter) cut(in *buffer.Buffer, n int) *buffer.Buffer {
	f := c.front(in, n)
	in.Skip(n)
	return f
}

// skipper drops the bytes of a frame that nobody wants, as they come and without holding them.
type skipper struct {
	left int64
	err  error // to report when all are gone; nil: it was reported before
}

// begin drops the next n bytes of in, or those that come later. err is reported now, or with late when the last
// byte is gone.
func (s *skipper) begin(in *buffer.Buffer, n int64, err error, late bool) error {
	s.left, s.err = n, err
	if late {
		return s.drop(in)
	}
	s.err = nil
	_ = s.drop(in) // has nothing to report
	return err
}

// drop drops what is there.
func (s *skipper) drop(in *buffer.Buffer) error {
	n := min(s.left, int64(in.Len()))
	in.Skip(int(n))
	s.left -= n
	if s.left > 0 {
		return nil
	}
	err := s.err
	s.err = nil
	return err
}

// active reports whether bytes are still to be dropped.
func (s *skipper) active() bool { return s.left > 0 }

// end is what the end of input in the middle of a dropped frame says.
func (s *skipper) end() error {
	err := s.err
	s.left, s.err = 0, nil
	return err
}

// truncated is what the end of input says about bytes that are no whole frame. It drops them.
func truncated(in *buffer.Buffer, decoder string) error {
	n := in.Len()
	if n == 0 {
		return nil
	}
	in.Skip(n)
	return &TruncatedError{Decoder: decoder, Left: n}
}
