package buffer

// Split takes the first n bytes out of c and returns them as a composite. No payload is copied: a part cut in two gets
// one more reference. The sum of TrackCRC32C stays with c. It panics when n > Len. The caller must Release the result.
func (c *Composite) Split(n int) *Composite {
	c.check("Split")
	if uint(n) > uint(c.n) {
		panicShort("Split", n, c.n)
	}
	front := NewComposite()
	for _, p := range c.parts[c.head:] {
		if n == 0 {
			break
		}
		p.window = p.window[:min(n, len(p.window)):len(p.window)]
		p.b.Retain()
		front.add(p)
		n -= len(p.window)
	}
	c.consume(front.n, false)
	return front
}

// View returns a composite of the same bytes with references and a read position of its own. Later appends to c do not
// show in it. The caller must Release the result.
func (c *Composite) View() *Composite {
	c.check("View")
	v := NewComposite()
	for _, p := range c.parts[c.head:] {
		p.b.Retain()
		v.add(p)
	}
	return v
}

// MoveTo hands every part to f in order, its reference and the window left of it, and leaves c empty. f owns the
// reference; the buffer's own window may be larger than the part. Outbound queues and decoders take ropes apart with it.
func (c *Composite) MoveTo(f func(b *Buffer, window []byte)) {
	c.check("MoveTo")
	for c.head < len(c.parts) {
		p := c.parts[c.head]
		c.parts[c.head] = part{}
		c.head++
		c.n -= len(p.window) // kept true for each call, as f may panic
		f(p.b, p.window)
	}
	c.parts = c.parts[:0]
	c.head, c.n, c.seek, c.seekAt = 0, 0, 0, 0
}
