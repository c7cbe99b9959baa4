package stomp

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarksAreExactForEveryOctetInEveryPlace(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	text := make([]byte, 8)
	for range 20_000 {
		for i := range text {
			text[i] = byte(rng.Intn(256))
			if rng.Intn(3) == 0 {
				text[i] = "\x00\n\r\x0f\x10:\\;9[]\x80\x8a\xba\xdc\xff"[rng.Intn(16)]
			}
		}
		marks := marksOf(wordAt(text, 0))
		for i, c := range text {
			want := uint64(0)
			if c < 0x10 || c == ':' || c == '\\' {
				want = 0x80
			}
			require.Equal(t, want, marks>>(8*i)&0xff, "octet %d of %q", i, text)
		}
	}
}

func TestWordsBehindTheEndAreBlank(t *testing.T) {
	text := "\x01\x02\x03\x04\x05\x06\x07\x08\x09"
	for n := range len(text) + 1 {
		for p := range n + 1 {
			want := (text[p:n] + strings.Repeat(" ", 8))[:8]
			require.Equal(t, word(want), wordAt([]byte(text[:n]), p))
		}
	}
}

// Whole heads are read eight octets at a time, heads that come octet by octet are read line by line. Both must agree
// on any octets, under all rules, with lines right at the limits.
func TestQuickLinesAgreeWithReadLine(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	parts := []string{
		"a", "value", "destination", "content-length", ":", ":", ":", "\\c", "\\\\", "\\n", "\\r", "\\t", "\\", "\r\n",
		"\r", "\n", "\n", "\n", "x:y\n", "x:y\r\n", "a:b:c\n", "\n\n", "\x00", "\t", "\xff", "content-length:3\n", "7", "long-name-of-a-header",
	}
	for range 1000 {
		var sb strings.Builder
		sb.WriteString([]string{"SEND\n", "CONNECT\r\n", "MESSAGE\n", "UNSUBSCRIBE\n", "HELLO\n", "SEND\r", ""}[rng.Intn(7)])
		for range rng.Intn(12) {
			sb.WriteString(parts[rng.Intn(len(parts))])
		}
		sb.WriteString([]string{"\n\nabc\x00", "\n\n\x00", "\r\n\r\n\x00", ""}[rng.Intn(4)])
		input := []byte(sb.String())
		limits := Limits{Line: 5 + rng.Intn(40), Headers: 1 + rng.Intn(5), Head: 10 + rng.Intn(90)}
		for v := range Version12 + 1 {
			for _, strict := range []bool{false, true} {
				fresh := func() *Decoder {
					return &Decoder{State: &State{Version: v}, Strict: strict, AllowUnknown: strict, Limits: limits}
				}
				whole := decodeAll(t, fresh(), [][]byte{input})
				require.Equal(t, decodeAll(t, fresh(), bytewise(input)), whole, "%v strict %v %+v %q", v, strict, limits, input)
			}
		}
	}
}
