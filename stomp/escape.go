package stomp

import "strings"

// STOMP 1.2, "Value Encoding": \\ is a backslash, \c a colon, \n LF, \r CR. STOMP 1.1 has no \r. Any other
// pair is fatal, so that nobody guesses.

// escapeOf returns the letter that stands for c behind a backslash, 0 when c is written as it is.
func (e escapes) escapeOf(c byte) byte {
	switch {
	case e == escapesNone:
		return 0
	case c == '\\':
		return '\\'
	case c == ':':
		return 'c'
	case c == '\n':
		return 'n'
	case c == '\r' && e == escapes12:
		return 'r'
	}
	return 0
}

// octetOf returns what a backslash and letter stand for.
func (e escapes) octetOf(letter byte) (c byte, ok bool) {
	switch {
	case e == escapesNone:
		return 0, false
	case letter == '\\':
		return '\\', true
	case letter == 'c':
		return ':', true
	case letter == 'n':
		return '\n', true
	case letter == 'r' && e == escapes12:
		return '\r', true
	}
	return 0, false
}

// valid reports whether every backslash of s begins an escape.
func (e escapes) valid(s []byte) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		i++
		if i == len(s) {
			return false
		}
		if _, ok := e.octetOf(s[i]); !ok {
			return false
		}
	}
	return true
}

// unescape writes s, which is valid, to sb.
func (e escapes) unescape(sb *strings.Builder, s []byte) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' && i+1 < len(s) {
			i++
			c, _ = e.octetOf(s[i])
		}
		sb.WriteByte(c)
	}
}

// escape writes s to dst, which has room, and returns how many octets it wrote.
func (e escapes) escape(dst []byte, s string) int {
	if !special(s) {
		return copy(dst, s)
	}
	n := 0
	for i := range len(s) {
		c := s[i]
		if letter := e.escapeOf(c); letter != 0 {
			dst[n] = '\\'
			n++
			c = letter
		}
		dst[n] = c
		n++
	}
	return n
}
