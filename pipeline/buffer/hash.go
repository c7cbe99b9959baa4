package buffer

import "hash/maphash"

// hashSeed differs in every process, so that peers cannot choose colliding bytes.
var hashSeed = maphash.MakeSeed()

// Hash returns a fast hash of p that holds within this process only, equal to Composite.Hash of the same bytes.
// Safe for concurrent use.
func Hash(p []byte) uint64 { return maphash.Bytes(hashSeed, p) }

// Hash returns a fast hash of the bytes left, equal for any chunking. It holds within this process only.
func (c *Composite) Hash() uint64 {
	c.check("Hash")
	left := c.parts[c.head:]
	switch len(left) {
	case 0:
		return Hash(nil)
	case 1:
		return Hash(left[0].window)
	}
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, p := range left {
		_, _ = h.Write(p.window) // never fails
	}
	return h.Sum64()
}
