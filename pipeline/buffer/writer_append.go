package buffer

import (
	"encoding/binary"
	"math"
)

// hotBytes is how much is copied before it is summed, so that the sum finds it in the nearest cache.
const hotBytes = 8 << 10

// Append appends a copy of p.
func (w *Writer) Append(p []byte) {
	if w.crc.on && len(p) > hotBytes {
		w.appendHot(p)
		return
	}
	copy(w.extend(len(p)), p)
}

// appendHot copies and sums p in turns.
func (w *Writer) appendHot(p []byte) {
	w.Reserve(len(p))
	for len(p) > 0 {
		n := copy(w.extend(min(len(p), hotBytes)), p)
		w.sumUp()
		p = p[n:]
	}
}

// AppendString appends the bytes of s.
func (w *Writer) AppendString(s string) { copy(w.extend(len(s)), s) }

// AppendByte appends c.
func (w *Writer) AppendByte(c byte) { w.extend(1)[0] = c }

// AppendUint16 appends v, most significant byte first.
func (w *Writer) AppendUint16(v uint16) { binary.BigEndian.PutUint16(w.extend(2), v) }

// AppendUint24 appends the low three bytes of v, most significant first.
func (w *Writer) AppendUint24(v uint32) { putUint24(w.extend(3), v) }

// AppendUint32 appends v, most significant byte first.
func (w *Writer) AppendUint32(v uint32) { binary.BigEndian.PutUint32(w.extend(4), v) }

// AppendUint64 appends v, most significant byte first.
func (w *Writer) AppendUint64(v uint64) { binary.BigEndian.PutUint64(w.extend(8), v) }

// AppendUint16LE appends v, least significant byte first.
func (w *Writer) AppendUint16LE(v uint16) { binary.LittleEndian.PutUint16(w.extend(2), v) }

// AppendUint24LE appends the low three bytes of v, least significant first.
func (w *Writer) AppendUint24LE(v uint32) { putUint24LE(w.extend(3), v) }

// AppendUint32LE appends v, least significant byte first.
func (w *Writer) AppendUint32LE(v uint32) { binary.LittleEndian.PutUint32(w.extend(4), v) }

// AppendUint64LE appends v, least significant byte first.
func (w *Writer) AppendUint64LE(v uint64) { binary.LittleEndian.PutUint64(w.extend(8), v) }

// AppendFloat32 appends v as an IEEE 754 single, most significant byte first.
func (w *Writer) AppendFloat32(v float32) { w.AppendUint32(math.Float32bits(v)) }

// AppendFloat64 appends v as an IEEE 754 double, most significant byte first.
func (w *Writer) AppendFloat64(v float64) { w.AppendUint64(math.Float64bits(v)) }

// AppendFloat32LE appends v as an IEEE 754 single, least significant byte first.
func (w *Writer) AppendFloat32LE(v float32) { w.AppendUint32LE(math.Float32bits(v)) }

// AppendFloat64LE appends v as an IEEE 754 double, least significant byte first.
func (w *Writer) AppendFloat64LE(v float64) { w.AppendUint64LE(math.Float64bits(v)) }

// Write appends a copy of p; it never fails. See io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.Append(p)
	return len(p), nil
}

// Reserve returns n writable bytes behind what was written. They become part of the message by Commit and are valid
// until then or the next append.
func (w *Writer) Reserve(n int) []byte {
	b := w.cur
	if b == nil || uint(n) > uint(len(b.data)-b.w) {
		b = w.more(n)
	}
	if Debug {
		b.check("Writer.Reserve")
	}
	return b.data[b.w : b.w+n]
}

// Commit adds the first n of the reserved bytes to the message. It panics when n is more than was reserved.
func (w *Writer) Commit(n int) {
	b := w.cur
	if b == nil {
		b = w.more(0)
	}
	b.Commit(n)
}
