package stomp

// Eight octets are looked at together: a word has a zero octet when subtracting one from each borrows.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	// blanks fills up a word with octets that are nothing special.
	blanks = ones * ' '
)

// text is what both directions scan: header strings and the octets of a line.
type text interface{ ~string | ~[]byte }

// odd reports whether s holds a backslash or an octet below 0x10, among them NUL, LF and CR. Most lines hold
// none and need no closer look.
func odd(s []byte) bool {
	if len(s) < 8 {
		return oddWord(short(s)) != 0
	}
	found := oddWord(word(s[len(s)-8:]))
	for i := 0; i+8 < len(s); i += 8 {
		found |= oddWord(word(s[i : i+8]))
	}
	return found != 0
}

// special is odd that finds colons too: what a header text needs a closer look for before it is written.
func special(s string) bool {
	if len(s) < 8 {
		return specialWord(short(s)) != 0
	}
	found := specialWord(word(s[len(s)-8:]))
	for i := 0; i+8 < len(s); i += 8 {
		found |= specialWord(word(s[i : i+8]))
	}
	return found != 0
}

// word loads the first eight octets; the compiler makes it one load.
func word[T text](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// short loads all of less than eight octets, some of them twice.
func short[T text](s T) uint64 {
	n := len(s)
	switch {
	case n >= 4:
		end := s[n-4:]
		return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(end[0])<<32 | uint64(end[1])<<40 | uint64(end[2])<<48 | uint64(end[3])<<56
	case n > 0:
		return blanks&^0xffffff | uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return blanks
}

// oddWord is not zero when an octet of w is below 0x10 or a backslash. The octets that it looks for, and so what
// is left of them after each step, have no high bit of their own.
func oddWord(w uint64) uint64 {
	return ((w - ones*0x10) | ((w ^ ones*'\\') - ones)) &^ w & highs
}

// specialWord is oddWord that finds colons too: what needs a closer look before it is written.
func specialWord(w uint64) uint64 {
	return ((w - ones*0x10) | ((w ^ ones*'\\') - ones) | ((w ^ ones*':') - ones)) &^ w & highs
}
