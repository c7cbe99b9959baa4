package codec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestFixedLength(t *testing.T) {
	for name, c := range map[string]struct {
		n     int
		input string
		want  []string
	}{
		"one byte":   {1, "abc", []string{`"a"`, `"b"`, `"c"`}},
		"three":      {3, "abcdef", []string{`"abc"`, `"def"`}},
		"incomplete": {3, "abcd", []string{`"abc"`}},
	} {
		t.Run(name, func(t *testing.T) {
			sameForEveryCut(t, func() Decoder[*buffer.Buffer] { return &FixedLength{Bytes: c.n} }, c.input, c.want...)
		})
	}
}

func TestFixedLengthRefusesWrongSettings(t *testing.T) {
	in := buffer.FromString("abc")
	defer in.Release()
	_, _, err := (&FixedLength{}).Decode(in)
	require.ErrorIs(t, err, ErrConfig)
}
