package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const badVarint = "codec: varint: length of more than 31 bits"

func TestF3Varint(t *testing.T) {
	long := strings.Repeat("x", 200)
	for name, c := range map[string]struct {
		d     Varint
		input string
		want  []string
	}{
		"one byte":                    {Varint{}, "\x02ab\x00\x01c", []string{`"ab"`, `""`, `"c"`}},
		"two bytes":                   {Varint{}, "\xc8\x01" + long, []string{`"` + long + `"`}},
		"longer than needed":          {Varint{}, "\x82\x80\x80\x80\x00ab", []string{`"ab"`}},
		"too long":                    {Varint{MaxBytes: 3}, "\x04abcd\x01x", []string{"codec: varint: frame of 4 bytes too long, limit 3", `"x"`}},
		"too long, late":              {Varint{MaxBytes: 3, ReportLate: true}, "\x04abcd\x01x", []string{"codec: varint: frame of 4 bytes too long, limit 3", `"x"`}},
		"continued in the fifth byte": {Varint{}, "\x80\x80\x80\x80\x80\x01x", []string{badVarint, `"x"`}},
		"negative":                    {Varint{}, "\xff\xff\xff\xff\x0f\x01x", []string{badVarint, `"x"`}},
		"more than 32 bits":           {Varint{}, "\x80\x80\x80\x80\x10\x01x", []string{badVarint, `"x"`}},
		"2^31-1 is only too long":     {Varint{}, "\xff\xff\xff\xff\x07", []string{"codec: varint: frame of 2147483647 bytes too long, limit 1048576"}},
		"end of input in a length":    {Varint{}, "\x80", []string{"codec: varint: peer closed in the middle of a message (1 bytes)"}},
		"end of input in a frame":     {Varint{}, "\x03ab", []string{"codec: varint: peer closed in the middle of a message (3 bytes)"}},
		"end of input, too long":      {Varint{MaxBytes: 3, ReportLate: true}, "\x04ab", []string{"codec: varint: frame of 4 bytes too long, limit 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			sameForEveryCut(t, func() Decoder[*buffer.Buffer] { d := c.d; return &d }, c.input, c.want...)
		})
	}
}

func TestCore42F3FourBytesThatContinueWaitForTheFifth(t *testing.T) {
	errs := &swallow{}
	h := NewDecoder(&Varint{})
	ch := whole(t, h, errs)
	for i, b := range []string{"\x80", "\x80", "\x80", "\x80"} {
		ch.Feed(b)
		require.Empty(t, errs.errs)
		require.Equal(t, i+1, h.heldLen(), "a length that is not complete stays")
	}
	ch.Feed("\x01")
	require.Len(t, errs.errs, 1)
	var e *TooLongError
	require.ErrorAs(t, errs.errs[0], &e)
	require.Equal(t, int64(268435456), e.Length)
}

func TestVarintWorkIsLinear(t *testing.T) {
	const n = 1000
	d := &Varint{}
	input := strings.Repeat("\x85\x80\x80\x80\x00hello", n)
	require.Len(t, frames(t, d, strings.Split(input, "")...), n)
	require.LessOrEqual(t, d.work, uint64(5*len(input)))
}

func TestVarintResetForgetsALongFrame(t *testing.T) {
	d := &Varint{MaxBytes: 4}
	in := buffer.FromString("\x09")
	defer in.Release()
	_, _, err := d.Decode(in)
	require.ErrorIs(t, err, ErrTooLong)
	d.Reset()
	require.Equal(t, []string{`"a"`}, frames(t, d, "\x01a"))
}
