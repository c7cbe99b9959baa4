package buffer

import "encoding/binary"

// The Patch methods overwrite readable bytes at an offset from the window's start: lengths that are known only after
// what they measure. They panic outside the window, and when somebody else holds a reference.

// PatchUint8 overwrites one byte.
func (b *Buffer) PatchUint8(at int, v uint8) { b.patch(at, 1)[0] = v }

// PatchUint16 overwrites two bytes, most significant first.
func (b *Buffer) PatchUint16(at int, v uint16) { binary.BigEndian.PutUint16(b.patch(at, 2), v) }

// PatchUint24 overwrites three bytes with the low ones of v, most significant first.
func (b *Buffer) PatchUint24(at int, v uint32) { putUint24(b.patch(at, 3), v) }

// PatchUint32 overwrites four bytes, most significant first.
func (b *Buffer) PatchUint32(at int, v uint32) { binary.BigEndian.PutUint32(b.patch(at, 4), v) }

// PatchUint64 overwrites eight bytes, most significant first.
func (b *Buffer) PatchUint64(at int, v uint64) { binary.BigEndian.PutUint64(b.patch(at, 8), v) }

// PatchUint16LE overwrites two bytes, least significant first.
func (b *Buffer) PatchUint16LE(at int, v uint16) { binary.LittleEndian.PutUint16(b.patch(at, 2), v) }

// PatchUint24LE overwrites three bytes with the low ones of v, least significant first.
func (b *Buffer) PatchUint24LE(at int, v uint32) { putUint24LE(b.patch(at, 3), v) }

// PatchUint32LE overwrites four bytes, least significant first.
func (b *Buffer) PatchUint32LE(at int, v uint32) { binary.LittleEndian.PutUint32(b.patch(at, 4), v) }

// PatchUint64LE overwrites eight bytes, least significant first.
func (b *Buffer) PatchUint64LE(at int, v uint64) { binary.LittleEndian.PutUint64(b.patch(at, 8), v) }

// PatchBytes overwrites len(p) bytes with p.
func (b *Buffer) PatchBytes(at int, p []byte) { copy(b.patch(at, len(p)), p) }

// patch returns the n readable bytes at offset at for overwriting.
func (b *Buffer) patch(at, n int) []byte {
	b.mustBeUnique("patch")
	window := b.data[b.r:b.w]
	if at < 0 || at > len(window)-n {
		panicOutside("patch", at, n, len(window))
	}
	return window[at : at+n]
}
