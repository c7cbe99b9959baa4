package websocket

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"sync"
)

// mask is the four octets of a masking key, the first in the low bits. RFC 6455, 5.3.
type mask uint32

// turned is the key as it applies n octets further on.
func (m mask) turned(n int) mask { return mask(bits.RotateLeft32(uint32(m), -8*(n&3))) }

// apply masks or unmasks src into dst, which is as long; both may be the same memory. It returns the key for what
// follows.
func (m mask) apply(dst, src []byte) mask {
	n := len(src)
	word := uint64(m)<<32 | uint64(m)
	for len(src) >= 32 && len(dst) >= 32 {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)^word)
		binary.LittleEndian.PutUint64(dst[8:], binary.LittleEndian.Uint64(src[8:])^word)
		binary.LittleEndian.PutUint64(dst[16:], binary.LittleEndian.Uint64(src[16:])^word)
		binary.LittleEndian.PutUint64(dst[24:], binary.LittleEndian.Uint64(src[24:])^word)
		dst, src = dst[32:], src[32:]
	}
	for len(src) >= 8 && len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)^word)
		dst, src = dst[8:], src[8:]
	}
	for i := range src {
		dst[i] = src[i] ^ byte(m>>(8*(i&3)))
	}
	return m.turned(n)
}

// randomBytes is how much is taken from the system's generator at a time.
const randomBytes = 1 << 10

// randomness is a supply of unpredictable octets, each used once.
type randomness struct {
	octets [randomBytes]byte
	used   int
}

var supplies = sync.Pool{New: func() any { return &randomness{used: randomBytes} }}

// newMask gives a key that the peer can't foresee, as RFC 6455, 5.3 and 10.3, demand of clients. Safe for concurrent use.
func newMask() mask {
	r := supplies.Get().(*randomness)
	if r.used == randomBytes {
		_, _ = rand.Read(r.octets[:]) // never fails: it ends the program instead
		r.used = 0
	}
	m := mask(binary.LittleEndian.Uint32(r.octets[r.used:]))
	r.used += 4
	supplies.Put(r)
	return m
}
