package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

const badLength = "codec: length field: length makes no sense"

func TestF1LengthField(t *testing.T) {
	for name, c := range map[string]struct {
		d     LengthField
		input string
		want  []string
	}{
		"4 bytes, nothing stripped":    {LengthField{}, "\x00\x00\x00\x02ab", []string{`"\x00\x00\x00\x02ab"`}},
		"1 byte":                       {LengthField{LengthBytes: 1, Strip: 1}, "\x02ab\x00\x01c", []string{`"ab"`, `""`, `"c"`}},
		"2 bytes":                      {LengthField{LengthBytes: 2, Strip: 2}, "\x00\x02ab", []string{`"ab"`}},
		"2 bytes, little end first":    {LengthField{LengthBytes: 2, Strip: 2, LittleEndian: true}, "\x02\x00ab", []string{`"ab"`}},
		"3 bytes":                      {LengthField{LengthBytes: 3, Strip: 3}, "\x00\x00\x02ab", []string{`"ab"`}},
		"3 bytes, little end first":    {LengthField{LengthBytes: 3, Strip: 3, LittleEndian: true}, "\x02\x00\x00ab", []string{`"ab"`}},
		"4 bytes, little end first":    {LengthField{Strip: 4, LittleEndian: true}, "\x02\x00\x00\x00ab", []string{`"ab"`}},
		"8 bytes":                      {LengthField{LengthBytes: 8, Strip: 8}, "\x00\x00\x00\x00\x00\x00\x00\x02ab", []string{`"ab"`}},
		"8 bytes, little end first":    {LengthField{LengthBytes: 8, Strip: 8, LittleEndian: true}, "\x02\x00\x00\x00\x00\x00\x00\x00ab", []string{`"ab"`}},
		"length counts itself":         {LengthField{LengthBytes: 2, Adjustment: -2, Strip: 2}, "\x00\x04ab", []string{`"ab"`}},
		"header in front":              {LengthField{Offset: 2, LengthBytes: 1}, "HD\x02ab", []string{`"HD\x02ab"`}},
		"header in front, counted":     {LengthField{Offset: 2, LengthBytes: 1, Adjustment: -3, Strip: 3}, "HD\x05ab", []string{`"ab"`}},
		"header behind, not counted":   {LengthField{LengthBytes: 1, Adjustment: 2}, "\x02HDab", []string{`"\x02HDab"`}},
		"header around, front dropped": {LengthField{Offset: 1, LengthBytes: 1, Adjustment: 1, Strip: 2}, "A\x02Bab", []string{`"Bab"`}},
		"as long as the limit":         {LengthField{MaxBytes: 4, LengthBytes: 1}, "\x03abc", []string{`"\x03abc"`}},
		"too long":                     {LengthField{MaxBytes: 4, LengthBytes: 1}, "\x04abcd\x01x", []string{"codec: length field: frame of 5 bytes too long, limit 4", `"\x01x"`}},
		"too long, late":               {LengthField{MaxBytes: 4, LengthBytes: 1, ReportLate: true}, "\x04abcd\x01x", []string{"codec: length field: frame of 5 bytes too long, limit 4", `"\x01x"`}},
		"negative":                     {LengthField{LengthBytes: 1, Adjustment: -3, Strip: 1}, "\x02\x04a", []string{badLength, `"a"`}},
		"shorter than the header":      {LengthField{Offset: 2, LengthBytes: 1, Adjustment: -3}, "HD\x02HD\x04x", []string{badLength, `"HD\x04x"`}},
		"above 2^63":                   {LengthField{LengthBytes: 8, Strip: 8}, "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x01a", []string{badLength, `"a"`}},
		"sum above 2^63":               {LengthField{LengthBytes: 8, Adjustment: 1, Strip: 8}, "\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00a", []string{badLength, `"a"`}},
		"shorter than what is cut off": {LengthField{LengthBytes: 1, Strip: 3}, "\x01a\x03abc", []string{"codec: length field: frame shorter than what is stripped", `"c"`}},
		"end of input in a header":     {LengthField{LengthBytes: 2}, "\x00", []string{"codec: length field: peer closed in the middle of a message (1 bytes)"}},
		"end of input in a frame":      {LengthField{LengthBytes: 1}, "\x05ab", []string{"codec: length field: peer closed in the middle of a message (3 bytes)"}},
		"end of input, too long":       {LengthField{LengthBytes: 1, MaxBytes: 4}, "\x09ab", []string{"codec: length field: frame of 10 bytes too long, limit 4"}},
		"end of input, too long, late": {LengthField{LengthBytes: 1, MaxBytes: 4, ReportLate: true}, "\x09ab", []string{"codec: length field: frame of 10 bytes too long, limit 4"}},
	} {
		t.Run(name, func(t *testing.T) {
			sameForEveryCut(t, func() Decoder[*buffer.Buffer] { d := c.d; return &d }, c.input, c.want...)
		})
	}
}

func TestCore40TooLongIsReportedAtOnceAndDroppedWithoutBeingHeld(t *testing.T) {
	h := NewDecoder(&LengthField{MaxBytes: 10, LengthBytes: 2, Strip: 2})
	errs := &swallow{}
	ch := whole(t, h, errs)
	ch.Feed("\x03")
	require.Empty(t, errs.errs)
	ch.Feed("\xe8")
	require.Len(t, errs.errs, 1, "as soon as the header is known")
	require.ErrorIs(t, errs.errs[0], ErrTooLong)
	for range 10 {
		ch.Feed(strings.Repeat("x", 100))
		require.Nil(t, h.held)
	}
	ch.Feed("\x00\x04good")
	require.Len(t, errs.errs, 1)
	b := pipelinetest.In[*buffer.Buffer](ch)
	require.Equal(t, "good", string(b.Bytes()))
	b.Release()
}

func TestF1LateErrorComesWhenTheFrameIsGone(t *testing.T) {
	errs := &swallow{}
	ch := whole(t, NewDecoder(&LengthField{MaxBytes: 10, LengthBytes: 1, ReportLate: true}), errs)
	ch.Feed("\x14" + strings.Repeat("x", 19))
	require.Empty(t, errs.errs)
	ch.Feed("x")
	require.Len(t, errs.errs, 1)
}

func TestCore41NegativeLengthDoesNotLoop(t *testing.T) {
	errs := &swallow{}
	h := NewDecoder(&LengthField{LengthBytes: 1, Adjustment: -5})
	ch := whole(t, h, errs)
	ch.Feed("\x01")
	require.Len(t, errs.errs, 1)
	require.ErrorIs(t, errs.errs[0], ErrCorrupted)
	require.Nil(t, h.held)
}

func TestLengthFieldWorkIsLinear(t *testing.T) {
	const n = 1000
	d := &LengthField{Strip: 4}
	input := strings.Repeat("\x00\x00\x00\x05hello", n)
	require.Len(t, frames(t, d, strings.Split(input, "")...), n)
	require.LessOrEqual(t, d.work, uint64(4*len(input)))
}

func TestLengthFieldMayHoldALargeFrame(t *testing.T) {
	const n = 3 << 20
	ch := whole(t, NewDecoder(&LengthField{MaxBytes: 4 << 20, Strip: 4}))
	ch.Feed("\x00\x30\x00\x00")
	for range n / (64 << 10) {
		ch.Feed(strings.Repeat("x", 64<<10))
	}
	b := pipelinetest.In[*buffer.Buffer](ch)
	require.Equal(t, n, b.Len())
	b.Release()
}

func TestLengthFieldResetForgetsALongFrame(t *testing.T) {
	d := &LengthField{LengthBytes: 1, MaxBytes: 4}
	in := buffer.FromString("\x09")
	defer in.Release()
	_, _, err := d.Decode(in)
	require.ErrorIs(t, err, ErrTooLong)
	d.Reset()
	require.Equal(t, []string{`"\x01a"`}, frames(t, d, "\x01a"))
}
