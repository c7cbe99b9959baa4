package websocket

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// verdict feeds p in pieces of n octets and returns at which octet it is refused, len(p)+1 if only the end is wrong, and -1
// if it is good.
func verdict(p []byte, n int) int {
	var c utf8Check
	for at := 0; at < len(p); at += n {
		end := min(at+n, len(p))
		if !c.write(p[at:end]) {
			return end
		}
	}
	if !c.whole() {
		return len(p) + 1
	}
	return -1
}

func TestUTF8IsJudgedAlikeInPieces(t *testing.T) {
	for _, s := range []string{
		"", "a", "Hello-µ@ßöäüàá-UTF-8!!", "κόσμε", "\U0010ffff", "\u0000", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000",
		"\uffff", "\U00010000", "\xf0\x90\x80", "\xed\xa0\x80", "\xed\xbf\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80", "\xfe", "\xff", "\x80", "\xbf\xbf", "abc\xffdef", "\xe2\x82", "\xe2\x28\xa1",
		"κόσμε\xed\xa0\x80edited", "κόσμε\xf4\x90\x80\x80edited", "a\xc3", "aaaaaaaaaaaaaaaa\xe2\x82\xac\xe2\x82",
	} {
		for n := 1; n <= len(s)+1; n++ {
			require.Equal(t, utf8.ValidString(s), verdict([]byte(s), n) < 0, "%q in pieces of %d", s, n)
		}
	}
}

func TestUTF8IsRefusedWithTheFirstOctetThatMakesItSo(t *testing.T) {
	for s, at := range map[string]int{
		"\xff":                 1,
		"ab\x80":               3,
		"\xc0\xaf":             1, // no shortest form begins so
		"\xe0\x80":             2,
		"\xed\xa0":             2, // surrogate
		"\xf0\x80":             2,
		"\xf4\x90\x80\x80":     2, // above U+10FFFF
		"\xf5":                 1,
		"\xe2\x82(":            3,
		"\xf0\x9f\x98(":        4,
		"\xc3\xc3":             2,
		"κόσμε\xf4\x90rest":    12,
		"\xf0\x9f\x98\x80\xbf": 5,
	} {
		require.Equal(t, at, verdict([]byte(s), 1), "%q", s)
	}
}

func FuzzUTF8(f *testing.F) {
	f.Add([]byte("κόσμε"), 3)
	f.Add([]byte("\xed\xa0\x80"), 1)
	f.Fuzz(func(t *testing.T, p []byte, n int) {
		whole, single, pieces := verdict(p, len(p)+1), verdict(p, 1), verdict(p, 1+(n&0xff))
		require.Equal(t, utf8.Valid(p), whole < 0)
		require.Equal(t, whole < 0, single < 0)
		require.Equal(t, whole < 0, pieces < 0)
		if single > 0 && single <= len(p) { // the octets before it can still become text
			require.Equal(t, -1, verdict(append(p[:single-1:single-1], rest(p[:single-1])...), 1))
		}
	})
}

// rest is what p lacks to end with a whole code point.
func rest(p []byte) []byte {
	var c utf8Check
	c.write(p)
	var add []byte
	for c.left > 0 {
		add = append(add, c.lo)
		c.step(c.lo)
	}
	return add
}
