package buffer

import "io"

// Iovecs appends the readable pieces to dst and returns it, for a gathering write. They are valid until consumed.
func (c *Composite) Iovecs(dst [][]byte) [][]byte {
	c.check("Iovecs")
	for _, p := range c.parts[c.head:] {
		dst = append(dst, p.window) // parts are never empty
	}
	return dst
}

// CopyTo copies up to len(p) bytes into p and returns their number. It consumes nothing.
func (c *Composite) CopyTo(p []byte) int {
	c.check("CopyTo")
	n := 0
	for _, own := range c.parts[c.head:] {
		if n == len(p) {
			break
		}
		n += copy(p[n:], own.window)
	}
	return n
}

// Bytes returns the bytes left in one piece: an alias when there is one part, valid until consumed and read-only; else a
// fresh copy, which belongs to the caller.
func (c *Composite) Bytes() []byte {
	c.check("Bytes")
	switch len(c.parts) - c.head {
	case 0:
		return nil
	case 1:
		window := c.parts[c.head].window
		return window[:len(window):len(window)]
	}
	p := make([]byte, c.n)
	c.CopyTo(p)
	return p
}

// Read consumes up to len(p) bytes into p. It returns io.EOF when c is empty and p is not. See io.Reader.
func (c *Composite) Read(p []byte) (int, error) {
	if c.Len() == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n := c.CopyTo(p)
	c.consume(n, false)
	return n, nil
}

// WriteTo writes part after part to w and consumes what w took. c keeps its reference. See io.WriterTo.
func (c *Composite) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for c.Len() > 0 {
		window := c.parts[c.head].window
		n, err := w.Write(window)
		if err == nil && n < len(window) {
			err = io.ErrShortWrite
		}
		c.consume(n, false)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
