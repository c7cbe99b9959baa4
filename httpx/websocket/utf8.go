package websocket

import "unicode/utf8"

// utf8Check follows a text over any number of pieces and knows at the first octet that can't belong to one that it is
// not UTF-8. The zero value is at the beginning of a text. RFC 6455, 8.1; RFC 3629, 4.
type utf8Check struct {
	left   uint8 // octets that the code point still needs
	lo, hi uint8 // what the next one may be
}

// whole reports whether the text so far ends with a code point and not inside one.
func (c *utf8Check) whole() bool { return c.left == 0 }

// write goes on with p and reports whether the text can still be UTF-8.
func (c *utf8Check) write(p []byte) bool {
	for c.left > 0 && len(p) > 0 {
		if !c.step(p[0]) {
			return false
		}
		p = p[1:]
	}
	cut := len(p) - unfinished(p)
	if !utf8.Valid(p[:cut]) {
		return false
	}
	for _, b := range p[cut:] {
		c.step(b) // unfinished has looked at them
	}
	return true
}

// unfinished returns how many octets at the end of p are the beginning of a code point that can still become valid.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if b := p[len(p)-n]; utf8.RuneStart(b) {
			if utf8.FullRune(p[len(p)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

// step takes one octet.
func (c *utf8Check) step(b byte) bool {
	if c.left > 0 {
		if b < c.lo || b > c.hi {
			return false
		}
		c.left, c.lo, c.hi = c.left-1, 0x80, 0xbf
		return true
	}
	c.lo, c.hi = 0x80, 0xbf
	switch {
	case b < utf8.RuneSelf:
	case b >= 0xc2 && b <= 0xdf:
		c.left = 1
	case b >= 0xe0 && b <= 0xef:
		c.left = 2
		if b == 0xe0 {
			c.lo = 0xa0 // shorter forms exist
		} else if b == 0xed {
			c.hi = 0x9f // surrogates
		}
	case b >= 0xf0 && b <= 0xf4:
		c.left = 3
		if b == 0xf0 {
			c.lo = 0x90
		} else if b == 0xf4 {
			c.hi = 0x8f // above U+10FFFF
		}
	default:
		return false
	}
	return true
}
