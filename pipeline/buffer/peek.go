package buffer

import (
	"bytes"
	"encoding/binary"
)

// Peek returns the first n bytes in one piece without consuming them: an alias when they lie in one part, else a copy
// kept by c. They are read-only and valid until the next call that peeks, consumes or releases. It panics when n > Len.
func (c *Composite) Peek(n int) []byte {
	c.check("Peek")
	if uint(n) > uint(c.n) {
		panicShort("Peek", n, c.n)
	}
	if n == 0 {
		return nil
	}
	if first := c.parts[c.head].window; n <= len(first) {
		return first[:n:n]
	}
	return c.gather(n)
}

// gather copies the first n bytes into the scratch buffer.
func (c *Composite) gather(n int) []byte {
	if c.scratch == nil {
		c.scratch = Get(n)
	}
	c.scratch.Reset()
	p := c.scratch.Reserve(n)
	c.CopyTo(p)
	return p
}

// Next consumes n bytes and returns them as Peek does, valid until the next call that peeks, consumes or releases.
func (c *Composite) Next(n int) []byte {
	p := c.Peek(n)
	c.consume(n, true)
	return p
}

// Skip consumes n bytes. Parts that are used up are released at once. It panics when n > Len.
func (c *Composite) Skip(n int) {
	c.check("Skip")
	if uint(n) > uint(c.n) {
		panicShort("Skip", n, c.n)
	}
	c.consume(n, false)
}

// consume drops n bytes; with hold the first part outlives the call when it is used up.
func (c *Composite) consume(n int, hold bool) {
	if c.spent != nil {
		c.spent.Release()
		c.spent = nil
	}
	c.n -= n
	c.seek, c.seekAt = 0, 0
	for n > 0 {
		p := &c.parts[c.head]
		if n < len(p.window) {
			p.window = p.window[n:]
			return
		}
		n -= len(p.window)
		if hold {
			c.spent, hold = p.b, false
		} else {
			p.b.Release()
		}
		*p = part{}
		c.head++
	}
	if c.head == len(c.parts) {
		c.parts = c.parts[:0]
		c.head = 0
	}
}

// At returns the byte at offset i without consuming. It panics outside.
func (c *Composite) At(i int) byte {
	c.check("At")
	if uint(i) >= uint(c.n) {
		panicOutside("At", i, 1, c.n)
	}
	if i < c.seekAt {
		c.seek, c.seekAt = 0, 0
	}
	for {
		window := c.parts[c.head+c.seek].window
		if i-c.seekAt < len(window) {
			return window[i-c.seekAt]
		}
		c.seekAt += len(window)
		c.seek++
	}
}

// IndexByte returns the offset of the first b, or -1.
func (c *Composite) IndexByte(b byte) int {
	c.check("IndexByte")
	at := 0
	for _, p := range c.parts[c.head:] {
		if i := bytes.IndexByte(p.window, b); i >= 0 {
			return at + i
		}
		at += len(p.window)
	}
	return -1
}

// ReadUint8 consumes one byte. Like all Read methods it panics when there is less.
func (c *Composite) ReadUint8() uint8 { v := c.Peek(1)[0]; c.consume(1, false); return v }

// ReadUint16 consumes two bytes, most significant first.
func (c *Composite) ReadUint16() uint16 {
	v := binary.BigEndian.Uint16(c.Peek(2))
	c.consume(2, false)
	return v
}

// ReadUint24 consumes three bytes, most significant first.
func (c *Composite) ReadUint24() uint32 { v := uint24(c.Peek(3)); c.consume(3, false); return v }

// ReadUint32 consumes four bytes, most significant first.
func (c *Composite) ReadUint32() uint32 {
	v := binary.BigEndian.Uint32(c.Peek(4))
	c.consume(4, false)
	return v
}

// ReadUint64 consumes eight bytes, most significant first.
func (c *Composite) ReadUint64() uint64 {
	v := binary.BigEndian.Uint64(c.Peek(8))
	c.consume(8, false)
	return v
}

// ReadUint16LE consumes two bytes, least significant first.
func (c *Composite) ReadUint16LE() uint16 {
	v := binary.LittleEndian.Uint16(c.Peek(2))
	c.consume(2, false)
	return v
}

// ReadUint24LE consumes three bytes, least significant first.
func (c *Composite) ReadUint24LE() uint32 { v := uint24LE(c.Peek(3)); c.consume(3, false); return v }

// ReadUint32LE consumes four bytes, least significant first.
func (c *Composite) ReadUint32LE() uint32 {
	v := binary.LittleEndian.Uint32(c.Peek(4))
	c.consume(4, false)
	return v
}

// ReadUint64LE consumes eight bytes, least significant first.
func (c *Composite) ReadUint64LE() uint64 {
	v := binary.LittleEndian.Uint64(c.Peek(8))
	c.consume(8, false)
	return v
}
