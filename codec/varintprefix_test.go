package codec

import (
	"strings"
	"testing"
)

func TestVarintPrefix(t *testing.T) {
	long := strings.Repeat("x", 300)
	encodes(t, VarintPrefix{}, "", "\x00")
	encodes(t, VarintPrefix{}, "ab", "\x02ab")
	encodes(t, VarintPrefix{}, long, "\xac\x02"+long)
	refuses(t, VarintPrefix{MaxBytes: 3}, "abcd", ErrTooLong)
}
