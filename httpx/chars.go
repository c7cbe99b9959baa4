package httpx

// Classes of octets, as bits of charClass.
const (
	classToken = 1 << iota // tchar, RFC 9110, 5.6.2
	classHost              // uri-host and port, RFC 3986, 3.2.2 and 3.2.3
	classAlpha
	classDigit
)

// charClass is fixed when the program starts and never written again.
var charClass = classify()

func classify() (t [256]uint8) {
	mark := func(chars string, class uint8) {
		for i := range len(chars) {
			t[chars[i]] |= class
		}
	}
	const alpha = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	const digit = "0123456789"
	mark(alpha, classToken|classHost|classAlpha)
	mark(digit, classToken|classHost|classDigit)
	mark("!#$%&'*+-.^_`|~", classToken)
	mark("-._~%!$&'()*+,;=:[]", classHost)
	return t
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// isBlank reports whether c is SP or HTAB, the octets of OWS, RWS and BWS. RFC 9110, 5.6.3.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// hexValue returns the value of a HEXDIG in either case.
func hexValue(c byte) (v int64, ok bool) {
	switch {
	case isDigit(c):
		return int64(c - '0'), true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int64(c|0x20-'a') + 10, true
	}
	return 0, false
}

// text is what names and values come as: strings from programs, byte slices from the wire.
type text interface{ ~string | ~[]byte }

// validToken reports whether s is 1*tchar.
func validToken[T text](s T) bool {
	for i := range len(s) {
		if charClass[s[i]]&classToken == 0 {
			return false
		}
	}
	return len(s) > 0
}

// tokenEnd returns the offset of the first octet of b that is no tchar.
func tokenEnd(b []byte) int {
	for i, c := range b {
		if charClass[c]&classToken == 0 {
			return i
		}
	}
	return len(b)
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// load8 reads the first eight octets at once; the compiler makes one load of it.
func load8[T text](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// below is not zero when an octet of w is less than n; n is at most 0x80.
func below(w uint64, n uint64) uint64 { return (w - ones*n) &^ w & highs }

// doubtful tells that an octet of w is a control, HTAB included.
func doubtful(w uint64) bool { return below(w, ' ')|below(w^ones*0x7f, 1) != 0 }

// validValue reports whether every octet of v may stand in a field value or reason phrase: no controls but HTAB. That
// excludes CR, LF and NUL. RFC 9110, 5.5.
func validValue[T text](v T) bool {
	if len(v) < 8 {
		return plainValue(v)
	}
	last := v[len(v)-8:]
	for ; len(v) > 8; v = v[8:] {
		if doubtful(load8(v)) && !plainValue(v[:8]) {
			return false
		}
	}
	return !doubtful(load8(last)) || plainValue(last)
}

// plainValue is validValue octet by octet.
func plainValue[T text](v T) bool {
	for i := range len(v) {
		if c := v[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// validTarget reports whether b has only octets that a request target may have: visible ASCII and, if obsText, octets
// above 0x7f. RFC 9112, 3.2.
func validTarget(b []byte, obsText bool) bool {
	var outside uint64
	if !obsText {
		outside = highs
	}
	for ; len(b) >= 8; b = b[8:] {
		w := load8(b)
		if below(w, ' '+1)|below(w^ones*0x7f, 1)|w&outside != 0 {
			return false
		}
	}
	for _, c := range b {
		if c <= ' ' || c == 0x7f || c > 0x7f && !obsText {
			return false
		}
	}
	return true
}

// trimBlanks cuts OWS from both ends.
func trimBlanks[T text](s T) T {
	from, to := 0, len(s)
	for from < to && isBlank(s[from]) {
		from++
	}
	for to > from && isBlank(s[to-1]) {
		to--
	}
	return s[from:to]
}

func lower(c byte) byte {
	if c-'A' < 26 {
		c |= 0x20
	}
	return c
}

// equalFold compares names: ASCII letters in either case, all else exactly.
func equalFold[A, B text](a A, b B) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] != b[i] && lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

// isWord is equalFold for a word of lower-case letters and hyphens, and an s without controls: setting the bit that
// tells the cases apart then makes no two octets alike that are not. Eight octets at a time.
func isWord[T text](s T, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for ; len(word) >= 8; s, word = s[8:], word[8:] {
		if load8(s)|ones*0x20 != load8(word) {
			return false
		}
	}
	for i := range len(word) {
		if s[i]|0x20 != word[i] {
			return false
		}
	}
	return true
}

// nextElement returns the first element of a comma-separated list, trimmed and possibly empty, and the rest, nil behind
// the last one. Quoted commas are not looked for: no list that is read with it has quotes. RFC 9110, 5.6.1.
func nextElement(list []byte) (element, rest []byte) {
	for i, c := range list {
		if c == ',' {
			return trimBlanks(list[:i]), list[i+1:]
		}
	}
	return trimBlanks(list), nil
}
