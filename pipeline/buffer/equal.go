package buffer

import "bytes"

// Equal reports whether c and o have the same bytes left, however they are cut. It consumes nothing.
func (c *Composite) Equal(o *Composite) bool {
	c.check("Equal")
	o.check("Equal")
	if c.n != o.n {
		return false
	}
	var a, b []byte
	i, j := c.head, o.head
	for {
		if len(a) == 0 {
			if i == len(c.parts) {
				return true // equal lengths, so b is used up as well
			}
			a = c.parts[i].window
			i++
		}
		if len(b) == 0 {
			b = o.parts[j].window
			j++
		}
		n := min(len(a), len(b))
		if !bytes.Equal(a[:n], b[:n]) {
			return false
		}
		a, b = a[n:], b[n:]
	}
}

// EqualBytes reports whether the bytes left are those of p. It consumes nothing.
func (c *Composite) EqualBytes(p []byte) bool {
	return c.Len() == len(p) && c.Compare(p) == 0
}

// Compare orders the bytes left against p as bytes.Compare does. It consumes nothing.
func (c *Composite) Compare(p []byte) int {
	c.check("Compare")
	for _, own := range c.parts[c.head:] {
		n := min(len(own.window), len(p))
		if order := bytes.Compare(own.window[:n], p[:n]); order != 0 {
			return order
		}
		if n < len(own.window) {
			return 1
		}
		p = p[n:]
	}
	if len(p) > 0 {
		return -1
	}
	return 0
}
