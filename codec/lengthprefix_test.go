package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestLengthPrefix(t *testing.T) {
	long := strings.Repeat("long", 200)
	for name, c := range map[string]struct {
		e          LengthPrefix
		text, want string
	}{
		"default":                   {LengthPrefix{}, "ab", "\x00\x00\x00\x02ab"},
		"nothing":                   {LengthPrefix{LengthBytes: 1}, "", "\x00"},
		"1 byte":                    {LengthPrefix{LengthBytes: 1}, "ab", "\x02ab"},
		"2 bytes":                   {LengthPrefix{LengthBytes: 2}, "ab", "\x00\x02ab"},
		"2 bytes, little end first": {LengthPrefix{LengthBytes: 2, LittleEndian: true}, "ab", "\x02\x00ab"},
		"3 bytes":                   {LengthPrefix{LengthBytes: 3}, "ab", "\x00\x00\x02ab"},
		"3 bytes, little end first": {LengthPrefix{LengthBytes: 3, LittleEndian: true}, "ab", "\x02\x00\x00ab"},
		"4 bytes, little end first": {LengthPrefix{LittleEndian: true}, "ab", "\x02\x00\x00\x00ab"},
		"8 bytes":                   {LengthPrefix{LengthBytes: 8}, "ab", "\x00\x00\x00\x00\x00\x00\x00\x02ab"},
		"8 bytes, little end first": {LengthPrefix{LengthBytes: 8, LittleEndian: true}, "ab", "\x02\x00\x00\x00\x00\x00\x00\x00ab"},
		"length counts itself":      {LengthPrefix{LengthBytes: 1, Adjustment: -1}, "ab", "\x03ab"},
		"header in front":           {LengthPrefix{Offset: 2, LengthBytes: 1}, "HDab", "HD\x02ab"},
		"header not counted":        {LengthPrefix{LengthBytes: 1, Adjustment: 2}, "HDab", "\x02HDab"},
		"large":                     {LengthPrefix{LengthBytes: 2}, long, "\x03\x20" + long},
		"large, header in front":    {LengthPrefix{Offset: 1, LengthBytes: 2}, long, "l\x03\x1f" + long[1:]},
	} {
		t.Run(name, func(t *testing.T) { encodes(t, c.e, c.text, c.want) })
	}
}

func TestLengthPrefixRefuses(t *testing.T) {
	refuses(t, LengthPrefix{LengthBytes: 1}, strings.Repeat("x", 256), ErrCorrupted)
	refuses(t, LengthPrefix{Offset: 3}, "ab", ErrCorrupted)
	refuses(t, LengthPrefix{Adjustment: 3}, "ab", ErrCorrupted)
	refuses(t, LengthPrefix{MaxBytes: 10}, "abcdefg", ErrTooLong)
	require.ErrorIs(t, LengthPrefix{LengthBytes: 5}.Encode(new(buffer.Writer), NewText("ab")), ErrConfig)
}

func TestLengthPrefixIsReadByLengthFieldWithTheSameSettings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{1, 2, 3, 4, 8}).Draw(t, "width")
		offset := rapid.IntRange(0, 3).Draw(t, "offset")
		adjustment := rapid.IntRange(-9, 3).Draw(t, "adjustment")
		little := rapid.Bool().Draw(t, "little endian")
		e := LengthPrefix{Offset: offset, LengthBytes: width, Adjustment: adjustment, LittleEndian: little}
		d := &LengthField{Offset: offset, LengthBytes: width, Adjustment: adjustment, LittleEndian: little}
		text := rapid.StringN(0, 300, 600).Draw(t, "text")
		b := buffer.FromString(text)
		defer b.Release()
		var out buffer.Writer
		out.Reset(nil, 0)
		defer out.Discard()
		if e.Encode(&out, b) != nil {
			return
		}
		v := out.View()
		defer v.Release()
		in := buffer.FromBytes(v.Bytes())
		defer in.Release()
		f, ok, err := d.Decode(in)
		require.NoError(t, err)
		require.True(t, ok)
		defer f.Release()
		require.Zero(t, in.Len())
		require.Equal(t, text, string(f.Bytes()[:offset])+string(f.Bytes()[offset+width:]))
	})
}

func TestFramesOfOtherEncodersCanBeWrapped(t *testing.T) {
	ch := pipelinetest.New(t, NewEncoder(VarintPrefix{}), NewEncoder(LengthPrefix{LengthBytes: 2}), NewEncoder(&words{}))
	ch.WriteOutbound(&word{"abc"}, &word{strings.Repeat("x", 200)})
	require.Equal(t, "\x06\x00\x04\x03abc"+"\xcb\x01\x00\xc9\xc8"+strings.Repeat("x", 200), ch.Wire())
}
