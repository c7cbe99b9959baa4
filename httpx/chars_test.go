package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The grammar in the words of RFC 9110, octet by octet, to compare the tables and the word-wise checks with.

func specToken(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func specValue(c byte) bool { return c == '\t' || c >= ' ' && c != 0x7f }

func specTarget(c byte) bool { return c > ' ' && c < 0x7f }

func TestEveryOctetIsJudgedLikeTheGrammarAtEveryPlace(t *testing.T) {
	for length := 1; length <= 20; length++ {
		for at := range length {
			for c := range 256 {
				b := []byte(strings.Repeat("a", length))
				b[at] = byte(c)
				require.Equal(t, specToken(byte(c)), validToken(b), "token %q", b)
				require.Equal(t, specValue(byte(c)), validValue(b), "value %q", b)
				require.Equal(t, specValue(byte(c)), validValue(string(b)), "value %q", b)
				require.Equal(t, specTarget(byte(c)), validTarget(b, false), "target %q", b)
				require.Equal(t, specTarget(byte(c)) || c > 0x7f, validTarget(b, true), "target %q", b)
			}
		}
	}
}

func TestTabsBesideControlsAreNotMistaken(t *testing.T) {
	require.True(t, validValue("a\tb\tc\td\te\tf"))
	require.False(t, validValue("a\tb\tc\td\x00e\tf"))
	require.False(t, validValue("\t\t\t\t\t\t\t\x1f"))
	require.True(t, validValue(" \xff\x80\t\xa0\xff\xff\xff"))
}

func TestEmptyTextIsNoTokenButAValue(t *testing.T) {
	require.False(t, validToken(""))
	require.True(t, validValue(""))
}

func TestHexDigitsHaveTheirValueInEitherCase(t *testing.T) {
	const digits = "0123456789abcdef"
	for c := range 256 {
		v, ok := hexValue(byte(c))
		want := strings.IndexByte(digits, byte(c))
		if want < 0 {
			want = strings.IndexByte(strings.ToUpper(digits), byte(c))
		}
		require.Equal(t, want >= 0, ok, "%q", c)
		if ok {
			require.Equal(t, int64(want), v)
		}
	}
}

func TestOnlyLettersFold(t *testing.T) {
	require.True(t, equalFold("Content-Length", "cONTENT-lENGTH"))
	require.False(t, equalFold("a", "ab"))
	for a := range 256 {
		for b := range 256 {
			same := a == b || a|0x20 == b|0x20 && a|0x20 >= 'a' && a|0x20 <= 'z'
			require.Equal(t, same, equalFold([]byte{byte(a)}, string([]byte{byte(b)})), "%q %q", a, b)
		}
	}
}

func TestWordsFoldLikeAnyName(t *testing.T) {
	for _, word := range []string{"host", "upgrade", "keep-alive", "content-length", "transfer-encoding"} {
		require.True(t, isWord(strings.ToUpper(word), word))
		require.False(t, isWord(word+"x", word))
		for at := range word {
			for c := range 256 {
				b := []byte(word)
				if b[at] = byte(c); validValue(b) {
					require.Equal(t, equalFold(b, word), isWord(b, word), "%q", b)
				}
			}
		}
	}
}

func TestListElementsComeTrimmedAndInOrder(t *testing.T) {
	var got []string
	for list := []byte(" a ,b,, \tc d\t,"); list != nil; {
		var e []byte
		e, list = nextElement(list)
		got = append(got, string(e))
	}
	require.Equal(t, []string{"a", "b", "", "c d", ""}, got)
}

func TestTrimCutsBlanksOnly(t *testing.T) {
	require.Equal(t, "a b", trimBlanks(" \ta b\t "))
	require.Equal(t, "\va", trimBlanks("\va "))
	require.Empty(t, trimBlanks(" \t "))
}
