package buffer

import "encoding/binary"

// The Patch methods overwrite bytes of the message at the offset that Mark or Len gave before they were written: lengths
// that are known only after what they measure. They panic outside the message, in references, in bytes that a View shows and in bytes
// that TrackCRC32C has seen.

// PatchUint8 overwrites one byte.
func (w *Writer) PatchUint8(at int, v uint8) { w.patch(at, 1)[0] = v }

// PatchUint16 overwrites two bytes, most significant first.
func (w *Writer) PatchUint16(at int, v uint16) { binary.BigEndian.PutUint16(w.patch(at, 2), v) }

// PatchUint24 overwrites three bytes with the low ones of v, most significant first.
func (w *Writer) PatchUint24(at int, v uint32) { putUint24(w.patch(at, 3), v) }

// PatchUint32 overwrites four bytes, most significant first.
func (w *Writer) PatchUint32(at int, v uint32) { binary.BigEndian.PutUint32(w.patch(at, 4), v) }

// PatchUint64 overwrites eight bytes, most significant first.
func (w *Writer) PatchUint64(at int, v uint64) { binary.BigEndian.PutUint64(w.patch(at, 8), v) }

// PatchUint16LE overwrites two bytes, least significant first.
func (w *Writer) PatchUint16LE(at int, v uint16) { binary.LittleEndian.PutUint16(w.patch(at, 2), v) }

// PatchUint24LE overwrites three bytes with the low ones of v, least significant first.
func (w *Writer) PatchUint24LE(at int, v uint32) { putUint24LE(w.patch(at, 3), v) }

// PatchUint32LE overwrites four bytes, least significant first.
func (w *Writer) PatchUint32LE(at int, v uint32) { binary.LittleEndian.PutUint32(w.patch(at, 4), v) }

// PatchUint64LE overwrites eight bytes, least significant first.
func (w *Writer) PatchUint64LE(at int, v uint64) { binary.LittleEndian.PutUint64(w.patch(at, 8), v) }

// patch returns the n bytes at message offset at for overwriting.
func (w *Writer) patch(at, n int) []byte {
	if at < 0 || at > w.Len()-n {
		panicOutside("patch", at, n, w.Len())
	}
	if w.crc.on && at+n > w.crcAt {
		panic("buffer: patch of bytes that are in the sum")
	}
	if at < w.viewed {
		panic("buffer: patch of bytes that a view shows")
	}
	if at >= w.base {
		b := w.cur
		return b.data[w.start+at-w.base : w.start+at-w.base+n]
	}
	i := 0
	for at >= len(w.parts[i].window) {
		at -= len(w.parts[i].window)
		i++
	}
	p := w.parts[i]
	if !p.own || at+n > len(p.window) {
		panic("buffer: patch of a reference")
	}
	return p.window[at : at+n]
}
