package stomp

import (
	"bytes"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Body is the octets of a frame, held as references to the buffers that they arrived in. A body that came in
// one read buffer is one part, copied nowhere, as long as it is a sixteenth of that buffer or more: what a Body keeps
// alive is bounded by its own size. Below 1 KiB it is always copied, which costs less than to count references. The
// zero value is the empty body. A Body belongs to its frame: do not copy it. One goroutine at a time changes it; any
// number may read it while nobody does.
type Body struct {
	small []byte // the whole of a short decoded body: memory of the frame
	first buffer.Slice
	more  []buffer.Slice
	n     int
}

// Len returns the number of octets.
func (b *Body) Len() int { return b.n }

// Parts returns how many pieces the octets lie in: 0 when the body is empty.
func (b *Body) Parts() int {
	if b.n == 0 {
		return 0
	}
	return 1 + len(b.more)
}

// Part returns piece i, valid until the frame is released and read-only.
func (b *Body) Part(i int) []byte {
	if b.small != nil && i == 0 {
		return b.small
	}
	return b.slice(i).Bytes()
}

// Slice returns piece i with a reference of its own, which keeps the octets beyond the frame's release. Bodies
// below 1 KiB are copied into pooled memory for that. The caller must Release the result.
func (b *Body) Slice(i int) buffer.Slice {
	if b.small != nil && i == 0 {
		return pooledSlice(b.small)
	}
	s := b.slice(i)
	s.Retain()
	return s
}

func pooledSlice(p []byte) buffer.Slice {
	c := buffer.FromBytes(p)
	s := c.Slice(0, c.Len())
	c.Release()
	return s
}

// slice returns piece i of a body that lies in buffers, lent.
func (b *Body) slice(i int) buffer.Slice {
	if i == 0 {
		return b.first
	}
	return b.more[i-1]
}

// Bytes returns all octets in one run: the piece itself when there is one, which is valid until the frame is
// released and read-only, otherwise a fresh copy.
func (b *Body) Bytes() []byte {
	if b.n == 0 {
		return nil
	}
	if b.Parts() == 1 {
		return b.Part(0)
	}
	return b.AppendTo(make([]byte, 0, b.n))
}

// String returns a copy of all octets.
func (b *Body) String() string {
	return string(b.Bytes())
}

// AppendTo appends a copy of all octets to dst and returns the extended slice.
func (b *Body) AppendTo(dst []byte) []byte {
	for i := range b.Parts() {
		dst = append(dst, b.Part(i)...)
	}
	return dst
}

// Composite returns all octets as a rope with references of its own, to be read, hashed or written elsewhere
// without a copy. The caller must Release the result.
func (b *Body) Composite() *buffer.Composite {
	c := buffer.NewComposite()
	for i := range b.Parts() {
		c.AppendSlice(b.Slice(i))
	}
	return c
}

// borrow makes p the whole of b, which is empty. p is memory of b's frame.
func (b *Body) borrow(p []byte) {
	if len(p) > 0 {
		b.small, b.n = p, len(p)
	}
}

// Append adds s to the end. It takes the reference.
func (b *Body) Append(s buffer.Slice) {
	switch {
	case s.Len() == 0:
		s.Release()
		return
	case b.n == 0:
		b.first = s
	case b.small != nil:
		b.first, b.small = pooledSlice(b.small), nil
		b.more = append(b.more, s)
	default:
		b.more = append(b.more, s)
	}
	b.n += s.Len()
}

// AppendBuffer adds the readable octets of p to the end. It takes the reference.
func (b *Body) AppendBuffer(p *buffer.Buffer) {
	s := p.Slice(0, p.Len())
	p.Release()
	b.Append(s)
}

// AppendBytes adds a copy of p, in pooled memory, to the end.
func (b *Body) AppendBytes(p []byte) {
	if len(p) > 0 {
		b.AppendBuffer(buffer.FromBytes(p))
	}
}

// AppendString adds a copy of s, in pooled memory, to the end.
func (b *Body) AppendString(s string) {
	if s != "" {
		b.AppendBuffer(buffer.FromString(s))
	}
}

// Reset releases the octets and leaves the body empty.
func (b *Body) Reset() {
	b.first.Release()
	for _, s := range b.more {
		s.Release()
	}
	clear(b.more)
	b.small, b.first, b.more, b.n = nil, buffer.Slice{}, b.more[:0], 0
	if cap(b.more) > maxKept {
		b.more = nil
	}
}

// hasNul reports whether a NUL is among the octets.
func (b *Body) hasNul() bool {
	for i := range b.Parts() {
		if hasNul(b.Part(i)) {
			return true
		}
	}
	return false
}

func hasNul(p []byte) bool { return bytes.IndexByte(p, 0) >= 0 }

// AppendBody adds the octets of o to the end by reference. o keeps its own references.
func (b *Body) AppendBody(o *Body) {
	for i := range o.Parts() {
		b.Append(o.Slice(i))
	}
}
