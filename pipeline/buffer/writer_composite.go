package buffer

// AppendComposite appends what c has left by reference, part by part and each with the window that it has in c, and takes
// c's reference. Parts of up to 256 bytes are copied. Nothing of c is consumed, so others may hold it, too.
func (w *Writer) AppendComposite(c *Composite) {
	c.check("AppendComposite")
	for _, p := range c.parts[c.head:] {
		p.b.Retain()
		w.refer(piece{part: p})
	}
	c.Release()
}
