package httpx

import "math/bits"

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
func validToken[T text](s T) bool { return len(s) > 0 && tokenEnd(s) == len(s) }

// tokenEnd returns the offset of the first octet of s that is no tchar, or its length. Most names have letters and
// hyphens only.
func tokenEnd[T text](s T) int {
	end := unusualAt(s)
	for end < len(s) && charClass[s[end]]&classToken != 0 {
		end++
		end += unusualAt(s[end:])
	}
	return end
}

// What follows looks at eight octets at once. Adding to the low seven bits of each octet carries into its high bit and no
// further, so each result has exactly the high bits of the octets that are looked for.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

// load8 reads the first eight octets at once; the compiler makes one load of it.
func load8[T text](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// load4 is load8 for four octets.
func load4[T text](s T) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// controls marks the controls in w, HTAB included.
func controls(w uint64) uint64 {
	low := w & lows
	return (^(low + ones*(0x80-' ')) | (low + ones)) &^ w & highs
}

// unseen marks the octets of w that are not visible ASCII.
func unseen(w uint64) uint64 {
	low := w & lows
	return (^(low + ones*(0x80-'!')) | (low + ones) | w) & highs
}

// unusual marks the octets of w that are neither letters nor hyphens.
func unusual(w uint64) uint64 {
	low := w & lows
	letter := low | ones*0x20
	letter = (letter + ones*(0x80-'a')) &^ (letter + ones*(0x7f-'z'))
	hyphen := ^((low ^ ones*'-') + lows)
	return (^(letter | hyphen) | w) & highs
}

// controlAt returns the offset of the first control in s, or its length.
func controlAt[T text](s T) int {
	i := 0
	for ; i <= len(s)-8; i += 8 {
		if found := controls(load8(s[i : i+8])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != 0x7f {
		i++
	}
	return i
}

// unseenAt returns the offset of the first octet of s that is not visible ASCII, or its length.
func unseenAt(s []byte) int {
	i := 0
	for ; i <= len(s)-8; i += 8 {
		if found := unseen(load8(s[i : i+8])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && s[i] > ' ' && s[i] < 0x7f {
		i++
	}
	return i
}

// unusualAt returns the offset of the first octet of s that is neither letter nor hyphen, or its length.
func unusualAt[T text](s T) int {
	i := 0
	for ; i <= len(s)-8; i += 8 {
		if found := unusual(load8(s[i : i+8])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && (charClass[s[i]]&classAlpha != 0 || s[i] == '-') {
		i++
	}
	return i
}

// validValue reports whether every octet of v may stand in a field value or reason phrase: no controls but HTAB. That
// excludes CR, LF and NUL. RFC 9110, 5.5.
func validValue[T text](v T) bool { return valueEnd(v) == len(v) }

// valueEnd returns the offset of the first octet of v that may not stand in a field value, or its length.
func valueEnd[T text](v T) int {
	end := controlAt(v)
	for end < len(v) && v[end] == '\t' {
		end++
		end += controlAt(v[end:])
	}
	return end
}

// validTarget reports whether b has only octets that a request target may have: visible ASCII and, if obsText, octets
// above 0x7f. RFC 9112, 3.2.
func validTarget(b []byte, obsText bool) bool {
	end := unseenAt(b)
	for obsText && end < len(b) && b[end] > 0x7f {
		end++
		end += unseenAt(b[end:])
	}
	return end == len(b)
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
// tells the cases apart then makes no two octets alike that are not. It looks at eight or four octets at a time, at some
// of them twice.
func isWord[T text](s T, word string) bool {
	n := len(word)
	switch {
	case len(s) != n:
		return false
	case n >= 8:
		for i := 0; i < n-8; i += 8 {
			if load8(s[i:i+8])|ones*0x20 != load8(word[i:i+8]) {
				return false
			}
		}
		return load8(s[n-8:])|ones*0x20 == load8(word[n-8:])
	case n >= 4:
		return load4(s)|ones>>32*0x20 == load4(word) && load4(s[n-4:])|ones>>32*0x20 == load4(word[n-4:])
	}
	for i := range n {
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
