package buffer

import "encoding/binary"

// JavaHash returns java.nio.ByteBuffer's hashCode of p: from the last byte to the first h = 31*h + int8(b), starting
// with 1. It is for peers and files that agreed on that number; Hash is faster and safer against chosen input.
// Safe for concurrent use.
func JavaHash(p []byte) int32 { return int32(javaHash(1, p)) }

// JavaHash is the function JavaHash of the readable bytes.
func (b *Buffer) JavaHash() int32 { return JavaHash(b.Bytes()) }

// JavaHash is the function JavaHash of the bytes left, for any chunking.
func (c *Composite) JavaHash() int32 {
	c.check("JavaHash")
	h := uint32(1)
	for i := len(c.parts) - 1; i >= c.head; i-- {
		h = javaHash(h, c.parts[i].window)
	}
	return int32(h)
}

const (
	pow2  = 31 * 31 % (1 << 32)
	pow4  = pow2 * pow2 % (1 << 32)
	pow8  = pow4 * pow4 % (1 << 32)
	pow16 = pow8 * pow8 % (1 << 32)

	signBits = 0x8080808080808080
	even8    = 0x00ff00ff00ff00ff
	even16   = 0x0000ffff0000ffff
	// These undo the 128 added to each of four or eight bytes to make them unsigned.
	bias4 = 128 * (1 + 31) * (1 + pow2) % (1 << 32)
	bias8 = bias4 * (1 + pow4) % (1 << 32)
)

// javaHash continues h over p, last byte first.
func javaHash(h uint32, p []byte) uint32 {
	for len(p)%4 != 0 {
		h = 31*h + uint32(int8(p[len(p)-1]))
		p = p[:len(p)-1]
	}
	if len(p)%8 != 0 {
		h = pow4*h + javaHalf(p[len(p)-4:])
		p = p[:len(p)-4]
	}
	if len(p)%16 != 0 {
		h = pow8*h + javaWord(p[len(p)-8:])
		p = p[:len(p)-8]
	}
	// Two words at a time: every turn waits for one multiplication of h only.
	for len(p) >= 16 {
		q := p[len(p)-16:]
		h = pow16*h + pow8*javaWord(q[8:]) + javaWord(q)
		p = p[:len(p)-16]
	}
	return h
}

// javaWord returns the sum of int8(p[i])*31^i for the first eight bytes. A little-endian load puts byte i at bits 8i, so
// three multiplications join neighbours, pairs and quads, in lanes that cannot overflow.
func javaWord(p []byte) uint32 {
	x := binary.LittleEndian.Uint64(p) ^ signBits
	x = x&even8 + 31*(x>>8&even8)
	x = x&even16 + pow2*(x>>16&even16)
	return uint32(x) + pow4*uint32(x>>32) - bias8
}

// javaHalf is javaWord for four bytes.
func javaHalf(p []byte) uint32 {
	x := binary.LittleEndian.Uint32(p) ^ signBits>>32
	x = x&(even8>>32) + 31*(x>>8&(even8>>32))
	return x&(even16>>32) + pow2*(x>>16) - bias4
}
