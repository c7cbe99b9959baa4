package buffer

import (
	"encoding/binary"
	"math"
)

// The Append methods write behind the window and make the bytes readable. They grow b when there is no room; growing
// panics when somebody else holds a reference.

// Append appends a copy of p, which must not be a part of b: growing moves b's bytes away.
func (b *Buffer) Append(p []byte) { copy(b.extend(len(p)), p) }

// AppendString appends the bytes of s.
func (b *Buffer) AppendString(s string) { copy(b.extend(len(s)), s) }

// AppendByte appends c.
func (b *Buffer) AppendByte(c byte) { b.extend(1)[0] = c }

// AppendUint16 appends v, most significant byte first.
func (b *Buffer) AppendUint16(v uint16) { binary.BigEndian.PutUint16(b.extend(2), v) }

// AppendUint24 appends the low three bytes of v, most significant first.
func (b *Buffer) AppendUint24(v uint32) { putUint24(b.extend(3), v) }

// AppendUint32 appends v, most significant byte first.
func (b *Buffer) AppendUint32(v uint32) { binary.BigEndian.PutUint32(b.extend(4), v) }

// AppendUint64 appends v, most significant byte first.
func (b *Buffer) AppendUint64(v uint64) { binary.BigEndian.PutUint64(b.extend(8), v) }

// AppendUint16LE appends v, least significant byte first.
func (b *Buffer) AppendUint16LE(v uint16) { binary.LittleEndian.PutUint16(b.extend(2), v) }

// AppendUint24LE appends the low three bytes of v, least significant first.
func (b *Buffer) AppendUint24LE(v uint32) { putUint24LE(b.extend(3), v) }

// AppendUint32LE appends v, least significant byte first.
func (b *Buffer) AppendUint32LE(v uint32) { binary.LittleEndian.PutUint32(b.extend(4), v) }

// AppendUint64LE appends v, least significant byte first.
func (b *Buffer) AppendUint64LE(v uint64) { binary.LittleEndian.PutUint64(b.extend(8), v) }

// AppendFloat32 appends v as an IEEE 754 single, most significant byte first.
func (b *Buffer) AppendFloat32(v float32) { b.AppendUint32(math.Float32bits(v)) }

// AppendFloat64 appends v as an IEEE 754 double, most significant byte first.
func (b *Buffer) AppendFloat64(v float64) { b.AppendUint64(math.Float64bits(v)) }

// AppendFloat32LE appends v as an IEEE 754 single, least significant byte first.
func (b *Buffer) AppendFloat32LE(v float32) { b.AppendUint32LE(math.Float32bits(v)) }

// AppendFloat64LE appends v as an IEEE 754 double, least significant byte first.
func (b *Buffer) AppendFloat64LE(v float64) { b.AppendUint64LE(math.Float64bits(v)) }

// Write appends a copy of p; it never fails. See io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.Append(p)
	return len(p), nil
}

// extend makes n more bytes readable and returns them for filling.
func (b *Buffer) extend(n int) []byte {
	if Debug {
		b.check("append")
	}
	if n > len(b.data)-b.w {
		b.Grow(n)
	}
	w := b.w
	b.w = w + n
	return b.data[w : w+n]
}

func putUint24(p []byte, v uint32) {
	_ = p[2]
	p[0], p[1], p[2] = byte(v>>16), byte(v>>8), byte(v)
}

func putUint24LE(p []byte, v uint32) {
	_ = p[2]
	p[0], p[1], p[2] = byte(v), byte(v>>8), byte(v>>16)
}
