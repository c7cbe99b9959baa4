package buffer

// part is a window of a buffer and one reference of it.
type part struct {
	b      *Buffer
	window []byte
}

// Parts returns the number of pieces left.
func (c *Composite) Parts() int {
	c.check("Parts")
	return len(c.parts) - c.head
}

// Part returns what is left of piece i, 0 <= i < Parts. It is read-only and valid until consumed.
func (c *Composite) Part(i int) []byte {
	c.check("Part")
	return c.parts[c.head+i].window
}

// RetainPart returns piece i's buffer with one more reference, and what is left of the piece; the buffer's own window may
// be larger. Outbound queues use it on ropes that others may hold, too. The caller must Release the buffer.
func (c *Composite) RetainPart(i int) (*Buffer, []byte) {
	c.check("RetainPart")
	p := c.parts[c.head+i]
	p.b.Retain()
	return p.b, p.window
}
