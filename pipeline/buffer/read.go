package buffer

import (
	"encoding/binary"
	"io"
	"math"
)

// The Read methods consume what they return. Asking for more bytes than Len is misuse and panics: check Len first.

// ReadUint8 consumes one byte.
func (b *Buffer) ReadUint8() uint8 { return b.Next(1)[0] }

// ReadUint16 consumes two bytes, most significant first.
func (b *Buffer) ReadUint16() uint16 { return binary.BigEndian.Uint16(b.Next(2)) }

// ReadUint24 consumes three bytes, most significant first.
func (b *Buffer) ReadUint24() uint32 { return uint24(b.Next(3)) }

// ReadUint32 consumes four bytes, most significant first.
func (b *Buffer) ReadUint32() uint32 { return binary.BigEndian.Uint32(b.Next(4)) }

// ReadUint64 consumes eight bytes, most significant first.
func (b *Buffer) ReadUint64() uint64 { return binary.BigEndian.Uint64(b.Next(8)) }

// ReadUint16LE consumes two bytes, least significant first.
func (b *Buffer) ReadUint16LE() uint16 { return binary.LittleEndian.Uint16(b.Next(2)) }

// ReadUint24LE consumes three bytes, least significant first.
func (b *Buffer) ReadUint24LE() uint32 { return uint24LE(b.Next(3)) }

// ReadUint32LE consumes four bytes, least significant first.
func (b *Buffer) ReadUint32LE() uint32 { return binary.LittleEndian.Uint32(b.Next(4)) }

// ReadUint64LE consumes eight bytes, least significant first.
func (b *Buffer) ReadUint64LE() uint64 { return binary.LittleEndian.Uint64(b.Next(8)) }

// ReadFloat32 consumes an IEEE 754 single, most significant byte first.
func (b *Buffer) ReadFloat32() float32 { return math.Float32frombits(b.ReadUint32()) }

// ReadFloat64 consumes an IEEE 754 double, most significant byte first.
func (b *Buffer) ReadFloat64() float64 { return math.Float64frombits(b.ReadUint64()) }

// ReadFloat32LE consumes an IEEE 754 single, least significant byte first.
func (b *Buffer) ReadFloat32LE() float32 { return math.Float32frombits(b.ReadUint32LE()) }

// ReadFloat64LE consumes an IEEE 754 double, least significant byte first.
func (b *Buffer) ReadFloat64LE() float64 { return math.Float64frombits(b.ReadUint64LE()) }

// Read consumes up to len(p) bytes into p. It returns io.EOF when b is empty and p is not. See io.Reader.
func (b *Buffer) Read(p []byte) (int, error) {
	if b.Len() == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, b.Bytes())
	b.r += n
	return n, nil
}

// WriteTo writes the readable bytes to w and consumes what w took. b keeps its reference. See io.WriterTo.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) {
	if b.Len() == 0 {
		return 0, nil
	}
	n, err := w.Write(b.Bytes())
	if err == nil && n < b.Len() {
		err = io.ErrShortWrite
	}
	b.Skip(n)
	return int64(n), err
}

func uint24(p []byte) uint32 {
	_ = p[2]
	return uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
}

func uint24LE(p []byte) uint32 {
	_ = p[2]
	return uint32(p[2])<<16 | uint32(p[1])<<8 | uint32(p[0])
}
