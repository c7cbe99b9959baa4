package stomp

// Eight octets are looked at together: a word has a zero octet when subtracting one from each borrows.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// text is what both directions scan: header strings and the octets of a line.
type text interface{ ~string | ~[]byte }

// odd reports whether s holds a backslash or an octet below 0x10, among them NUL, LF and CR. Most lines hold
// none and need no closer look.
func odd[T text](s T) bool {
	if len(s) < 8 {
		for i := range len(s) {
			if s[i] < 0x10 || s[i] == '\\' {
				return true
			}
		}
		return false
	}
	for i := 0; i+8 < len(s); i += 8 {
		if oddWord(word(s, i)) != 0 {
			return true
		}
	}
	return oddWord(word(s, len(s)-8)) != 0
}

// special is odd that finds colons too: what a header text needs a closer look for before it is written.
func special[T text](s T) bool {
	if len(s) < 8 {
		for i := range len(s) {
			if s[i] < 0x10 || s[i] == '\\' || s[i] == ':' {
				return true
			}
		}
		return false
	}
	for i := 0; i+8 < len(s); i += 8 {
		if w := word(s, i); oddWord(w)|equalWord(w, ':') != 0 {
			return true
		}
	}
	w := word(s, len(s)-8)
	return oddWord(w)|equalWord(w, ':') != 0
}

// word loads eight octets from offset i; the compiler makes it one load.
func word[T text](s T, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// oddWord is not zero when an octet of w is below 0x10 or a backslash.
func oddWord(w uint64) uint64 { return (w-ones*0x10)&^w&highs | equalWord(w, '\\') }

// equalWord is not zero when an octet of w is c.
func equalWord(w uint64, c byte) uint64 {
	x := w ^ ones*uint64(c)
	return (x - ones) &^ x & highs
}
