package stomp

// escapes says which octets a version replaces in header names and values. STOMP 1.2, "Value Encoding": \\ is
// a backslash, \c a colon, \n LF, \r CR. STOMP 1.1 has no \r. Any other pair is fatal, so that nobody guesses.
type escapes uint8

const (
	escapesNone escapes = iota // 1.0, before CONNECTED, and always for CONNECT, STOMP, CONNECTED
	escapes11
	escapes12
)

// octetOf returns what a backslash and letter stand for.
func (e escapes) octetOf(letter byte) (c byte, ok bool) {
	switch letter {
	case '\\':
		return '\\', true
	case 'c':
		return ':', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', e == escapes12
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

// unescape replaces the escapes of s, which is valid, in place, and returns how many octets are left.
func (e escapes) unescape(s []byte) int {
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' && i+1 < len(s) {
			i++
			c, _ = e.octetOf(s[i])
		}
		s[n] = c
		n++
	}
	return n
}
