package httpx

import (
	"encoding/binary"
	"hash"
	"hash/adler32"
	"hash/crc32"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// coding is a content coding that this package knows. RFC 9110, 8.4.1; RFC 8878, 7.2.
type coding uint8

const (
	codingNone coding = iota
	codingGzip
	codingDeflate // RFC 1950
	codingZstd
)

// codingOf returns the coding with that name, in lower case.
func codingOf(name string) coding {
	switch name {
	case "gzip":
		return codingGzip
	case "deflate":
		return codingDeflate
	case "zstd":
		return codingZstd
	}
	return codingNone
}

func (c coding) String() string {
	switch c {
	case codingGzip:
		return "gzip"
	case codingDeflate:
		return "deflate"
	case codingZstd:
		return "zstd"
	case codingNone:
	}
	return "identity"
}

// coder writes bodies in a content coding, one after the other. Between two flushes it needs the memory of an encoder,
// 0.8 MiB; at a flush it gives that back, so that a body that waits for its handler or its client takes nothing. What
// follows is compressed without a look at what was before: deflated streams may go on like that at any octet, as no
// block has to refer to another (RFC 1951, 2), and a zstd body may consist of many frames (RFC 8878, 3.1). So gzip and
// zlib are put together here around bare deflated data.
type coder struct {
	history bool // keep the encoder at a flush

	coding   coding
	pool     buffer.Allocator
	deflater codec.Deflater
	live     bool           // the deflater has an encoder
	dirty    bool           // written to since the last flush
	framed   bool           // there is a zstd frame
	out      *buffer.Buffer // what is finished
	crc      uint32
	adler    hash.Hash32 // of a deflate body
	octets   uint32      // modulo 2^32, as gzip has it
}

const (
	// Deflated, no name, no time, fastest, unknown system: RFC 1952, 2.3.
	gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"
	// A window of 32 KiB, fastest: RFC 1950, 2.2.
	zlibHead = "\x78\x01"
	// The last block of deflated data, without octets: RFC 1951, 3.2.6.
	emptyBlock = "\x03\x00"
	// A frame of no octets: RFC 8878, 3.1.1.
	emptyFrame = "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"
)

// begin starts a body. The one before must have been closed or reset.
func (c *coder) begin(coding coding, level int, pool buffer.Allocator) {
	c.coding, c.pool = coding, pool
	c.framed = false
	c.deflater.Format, c.deflater.Level = codec.Deflate, level
	c.deflater.UseAllocator(pool)
	switch coding {
	case codingGzip:
		c.crc, c.octets = 0, 0
		c.put(gzipHead)
	case codingDeflate:
		if c.adler == nil {
			c.adler = adler32.New()
		}
		c.adler.Reset()
		c.put(zlibHead)
	case codingZstd, codingNone:
		c.deflater.Format = codec.Zstd
		c.deflater.Level = min(level, mostZstdLevel)
	}
}

// mostZstdLevel is the highest level of zstd, whose levels are fewer than those of the others.
const mostZstdLevel = 4

// write compresses p and does not keep it.
func (c *coder) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	switch c.coding {
	case codingGzip:
		c.crc = crc32.Update(c.crc, crc32.IEEETable, p)
		c.octets += uint32(len(p))
	case codingDeflate:
		_, _ = c.adler.Write(p) // never fails
	case codingZstd, codingNone:
		c.framed = true
	}
	c.dirty, c.live = true, true
	_, err := c.deflater.Write(p)
	return err
}

// flush makes all octets so far readable, and gives the memory back.
func (c *coder) flush() error {
	if !c.dirty {
		return nil
	}
	c.dirty = false
	if c.history {
		err := c.deflater.Flush()
		c.collect()
		return err
	}
	if c.coding == codingZstd {
		return c.closeDeflater()
	}
	err := c.deflater.Flush()
	c.collect()
	c.rest()
	return err
}

// close ends the body and gives the memory back.
func (c *coder) close() error {
	var err error
	switch {
	case c.live:
		err = c.closeDeflater()
	case c.coding != codingZstd:
		c.put(emptyBlock)
	case !c.framed:
		c.put(emptyFrame)
	}
	c.dirty = false
	var sums [8]byte
	switch c.coding {
	case codingGzip: // RFC 1952, 2.3.1
		binary.LittleEndian.PutUint32(sums[:], c.crc)
		binary.LittleEndian.PutUint32(sums[4:], c.octets)
		c.out.Append(sums[:])
	case codingDeflate: // RFC 1950, 2.2
		binary.BigEndian.PutUint32(sums[:], c.adler.Sum32())
		c.out.Append(sums[:4])
	case codingZstd, codingNone:
	}
	return err
}

func (c *coder) closeDeflater() error {
	err := c.deflater.Close()
	c.collect()
	c.rest()
	return err
}

// rest gives the encoder back.
func (c *coder) rest() {
	c.deflater.Reset()
	c.live = false
}

// collect takes what the deflater has finished.
func (c *coder) collect() {
	switch m := c.deflater.Take().(type) {
	case *buffer.Buffer:
		if c.out == nil {
			c.out = m
			return
		}
		c.out.Append(m.Bytes())
		m.Release()
	case *buffer.Composite:
		if c.out == nil {
			c.out = c.pool.Get(m.Len())
		}
		c.out.Grow(m.Len())
		for i := range m.Parts() {
			c.out.Append(m.Part(i))
		}
		m.Release()
	}
}

func (c *coder) put(s string) {
	if c.out == nil {
		c.out = c.pool.Get(leastCoded)
	}
	c.out.AppendString(s)
}

// leastCoded is room for the frame of a body and a little of it.
const leastCoded = 512

// pending returns how many octets take would return.
func (c *coder) pending() int {
	n := c.deflater.Pending()
	if c.out != nil {
		n += c.out.Len()
	}
	return n
}

// take returns what is finished, nil when there is nothing. The caller must Release the result.
func (c *coder) take() *buffer.Buffer {
	c.collect()
	out := c.out
	c.out = nil
	return out
}

// reset drops a body in the middle.
func (c *coder) reset() {
	c.rest()
	if c.out != nil {
		c.out.Release()
		c.out = nil
	}
	c.dirty = false
}
