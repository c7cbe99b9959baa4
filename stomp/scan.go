package stomp

// Eight octets are looked at together: a word has a zero octet when subtracting one from each borrows.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	// blanks fills up a word with octets that are nothing special.
	blanks = ones * ' '
)

// text is what both directions look at: header strings and the octets of a line.
type text interface{ ~string | ~[]byte }

// special reports whether s holds a backslash, a colon or an octet below 0x10, among them NUL, LF and CR: what a
// header text needs a closer look for before it is written. Most hold none.
func special(s string) bool { return findSpecial(s)&highs != 0 }

// findSpecial has the high bit of an octet set, among others, when s is special. The last eight octets are looked at
// once more where they overlap.
func findSpecial(s string) uint64 {
	if len(s) < 8 {
		return specialWord(short(s))
	}
	found := specialWord(word(s[len(s)-8:]))
	for len(s) > 8 {
		found |= specialWord(word(s))
		s = s[8:]
	}
	return found
}

// word loads the first eight octets; the compiler makes it one load.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// half loads the first four octets.
func half(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// short loads all of less than eight octets, some of them twice.
func short(s string) uint64 {
	n := len(s)
	if n >= 4 {
		return half(s) | half(s[n-4:])<<32
	}
	if n > 0 {
		return blanks&^0xffffff | uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return blanks
}

// specialWord has the high bit of an octet set when w has one that is below 0x10, a backslash or a colon; the lowest
// high bit is that of the first. The octets that it looks for, and so what is left of them after each step, have no high
// bit of their own. Its other bits mean nothing.
func specialWord(w uint64) uint64 {
	return ((w - ones*0x10) | ((w ^ ones*'\\') - ones) | ((w ^ ones*':') - ones)) &^ w
}
