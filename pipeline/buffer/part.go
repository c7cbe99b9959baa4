package buffer

// RetainPart gives piece i's buffer with one more reference, and what is left of the piece; the buffer's
// own window may be larger. Outbound queues use it on ropes that others may hold too. The caller must
// Release the buffer.
func (c *Composite) RetainPart(i int) (*Buffer, []byte) {
	c.check("RetainPart")
	p := c.parts[c.head+i]
	p.b.Retain()
	return p.b, p.window
}
