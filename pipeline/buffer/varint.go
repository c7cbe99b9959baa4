package buffer

import (
	"encoding/binary"
	"math/bits"
)

// Varints are numbers in base 128, least significant group first, as in package encoding/binary.

// PeekUvarint returns the number at the window's start and the bytes that it takes: 0 when it is not all there yet,
// negative when it is longer than 64 bits (as encoding/binary.Uvarint). It consumes nothing.
func (b *Buffer) PeekUvarint() (v uint64, n int) { return binary.Uvarint(b.Bytes()) }

// ReadUvarint is PeekUvarint that consumes the number when n > 0.
func (b *Buffer) ReadUvarint() (v uint64, n int) {
	v, n = b.PeekUvarint()
	if n > 0 {
		b.r += n
	}
	return v, n
}

// PeekVarint is PeekUvarint for a zigzag-encoded signed number.
func (b *Buffer) PeekVarint() (v int64, n int) { return binary.Varint(b.Bytes()) }

// ReadVarint is PeekVarint that consumes the number when n > 0.
func (b *Buffer) ReadVarint() (v int64, n int) {
	v, n = b.PeekVarint()
	if n > 0 {
		b.r += n
	}
	return v, n
}

// AppendUvarint appends v, 1 to 10 bytes.
func (b *Buffer) AppendUvarint(v uint64) { binary.PutUvarint(b.extend(uvarintLen(v)), v) }

// AppendVarint appends v zigzag-encoded, 1 to 10 bytes.
func (b *Buffer) AppendVarint(v int64) { b.AppendUvarint(zigzag(v)) }

// PeekUvarint returns the number at the start and the bytes that it takes: 0 when it is not all there yet, negative when
// it is longer than 64 bits. It consumes nothing.
func (c *Composite) PeekUvarint() (v uint64, n int) {
	if c.Len() == 0 {
		return 0, 0
	}
	if v, n = binary.Uvarint(c.parts[c.head].window); n != 0 {
		return v, n
	}
	return binary.Uvarint(c.Peek(min(c.n, binary.MaxVarintLen64+1))) // the eleventh byte proves that it is too long
}

// ReadUvarint is PeekUvarint that consumes the number when n > 0.
func (c *Composite) ReadUvarint() (v uint64, n int) {
	v, n = c.PeekUvarint()
	if n > 0 {
		c.consume(n, false)
	}
	return v, n
}

// AppendUvarint appends v, 1 to 10 bytes.
func (w *Writer) AppendUvarint(v uint64) { binary.PutUvarint(w.extend(uvarintLen(v)), v) }

// AppendVarint appends v zigzag-encoded, 1 to 10 bytes.
func (w *Writer) AppendVarint(v int64) { w.AppendUvarint(zigzag(v)) }

// uvarintLen returns the bytes of v in base 128.
func uvarintLen(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// zigzag maps signed numbers of small magnitude to small unsigned ones.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
