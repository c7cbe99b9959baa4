package buffer

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// runningCRC is a sum that is kept while bytes are added.
type runningCRC struct {
	on  bool
	sum uint32
}

func (r *runningCRC) update(p []byte) {
	if r.on {
		r.sum = crc32.Update(r.sum, castagnoli, p)
	}
}

// TrackCRC32C makes every later Append add to a sum while its bytes are still in the cache; a second pass over a large
// message would fetch all of it from memory again. What is there already is summed now.
func (c *Composite) TrackCRC32C() {
	c.check("TrackCRC32C")
	c.crc = runningCRC{on: true, sum: c.CRC32C()}
}

// CRC32C returns the Castagnoli sum of all bytes appended so far, consumed ones included, when TrackCRC32C was called;
// otherwise that of the bytes left, in one pass over them.
func (c *Composite) CRC32C() uint32 {
	c.check("CRC32C")
	if c.crc.on {
		return c.crc.sum
	}
	var sum uint32
	for _, p := range c.parts[c.head:] {
		sum = crc32.Update(sum, castagnoli, p.window)
	}
	return sum
}
