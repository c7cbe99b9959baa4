package buffer

// copyMax is the length up to which a piece of a buffer is copied instead of referenced: below it the copy is cheaper
// than the count, and a small piece must not pin a large read buffer.
const copyMax = 256

// Slice is a piece of a Buffer that counts as one reference of it: what a message holds of the bytes that it was decoded
// from. It is a value; whoever keeps a copy beyond the message retains it. The bytes are read-only.
// The zero value is an empty slice.
type Slice struct {
	sliceMark
	root   *Buffer
	off, n int
}

// Slice returns n bytes at offset off of the window with a reference of their own. Up to 256 bytes are copied into
// pooled memory, so that they do not keep b alive. It panics outside the window. The caller must Release the result.
func (b *Buffer) Slice(off, n int) Slice {
	if Debug {
		b.check("Slice")
	}
	if off < 0 || n < 0 || off > b.w-b.r-n {
		panicOutside("Slice", off, n, b.w-b.r)
	}
	if n == 0 {
		return Slice{}
	}
	if n <= copyMax {
		c := b.sibling(n)
		c.Append(b.data[b.r+off : b.r+off+n])
		return Slice{root: c, n: n, sliceMark: c.mark()}
	}
	b.Retain()
	return Slice{root: b, off: b.r + off, n: n, sliceMark: b.mark()}
}

// ReadSlice is Slice(0, n) that also consumes the bytes. The caller must Release the result.
func (b *Buffer) ReadSlice(n int) Slice {
	s := b.Slice(0, n)
	b.r += n
	return s
}

// sibling returns an empty buffer that the same pool counts. The goroutine is not known to be the pool's, so the memory
// is shared.
func (b *Buffer) sibling(n int) *Buffer {
	if b.home != nil {
		return b.home.GetShared(n)
	}
	return shared.get(n)
}

// Bytes returns the bytes, valid until s is released and read-only.
func (s Slice) Bytes() []byte {
	if s.root == nil {
		return nil
	}
	if Debug {
		s.checkSlice("Slice.Bytes")
	}
	return s.root.data[s.off : s.off+s.n : s.off+s.n]
}

// Len returns the number of bytes.
func (s Slice) Len() int { return s.n }

// Pinned returns the size of the memory that s keeps alive, at least Len: what a message that is kept for long costs.
func (s Slice) Pinned() int {
	root := s.root
	if root == nil {
		return 0
	}
	for root.root != nil {
		root = root.root
	}
	return len(root.data)
}

// Retain adds one reference to the memory behind s. Safe for concurrent use.
func (s Slice) Retain() {
	if s.root == nil {
		return
	}
	if Debug {
		s.checkSlice("Slice.Retain")
	}
	s.root.Retain()
}

// Release drops the reference of s. One too many panics. Safe for concurrent use.
func (s Slice) Release() {
	if s.root == nil {
		return
	}
	if Debug {
		s.checkSlice("Slice.Release")
	}
	s.root.Release()
}

// Sub returns n bytes at offset off of s with a reference of their own. It panics outside s.
// The caller must Release the result.
func (s Slice) Sub(off, n int) Slice {
	if off < 0 || n < 0 || off > s.n-n {
		panicOutside("Slice.Sub", off, n, s.n)
	}
	if n == 0 {
		return Slice{}
	}
	s.Retain()
	s.off += off
	s.n = n
	return s
}
