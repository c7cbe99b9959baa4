package websocket

import "encoding/binary"

// Bits of the first two octets of a frame. RFC 6455, 5.2.
const (
	bitFin  = 0x80
	bitRSV1 = 0x40
	bitsRSV = 0x70
	bitMask = 0x80

	length16 = 126 // the length follows in 16 bits
	length64 = 127 // the length follows in 64 bits
)

// maxHeader is the longest head of a frame: two octets, a 64-bit length, a masking key.
const maxHeader = 2 + 8 + 4

// header is the head of a frame. RFC 6455, 5.2.
type header struct {
	op     opcode
	fin    bool
	rsv1   bool
	masked bool
	key    mask
	length uint64
}

// size is the octets that the head takes on the wire.
func (h *header) size() int {
	n := 2
	switch {
	case h.length > 0xffff:
		n += 8
	case h.length >= length16:
		n += 2
	}
	if h.masked {
		n += 4
	}
	return n
}

// put writes the head to dst, in the shortest form, and returns its octets.
func (h *header) put(dst []byte) int {
	first := byte(h.op)
	if h.fin {
		first |= bitFin
	}
	if h.rsv1 {
		first |= bitRSV1
	}
	var second byte
	if h.masked {
		second = bitMask
	}
	dst[0] = first
	n := 2
	switch {
	case h.length > 0xffff:
		dst[1] = second | length64
		binary.BigEndian.PutUint64(dst[2:], h.length)
		n += 8
	case h.length >= length16:
		dst[1] = second | length16
		binary.BigEndian.PutUint16(dst[2:], uint16(h.length))
		n += 2
	default:
		dst[1] = second | byte(h.length)
	}
	if h.masked {
		binary.LittleEndian.PutUint32(dst[n:], uint32(h.key))
		n += 4
	}
	return n
}

// headSize returns how many octets the head takes of which p is the beginning, as far as p tells.
func headSize(p []byte) int {
	if len(p) < 2 {
		return 2
	}
	n := 2
	switch p[1] &^ bitMask {
	case length16:
		n += 2
	case length64:
		n += 8
	}
	if p[1]&bitMask != 0 {
		n += 4
	}
	return n
}
