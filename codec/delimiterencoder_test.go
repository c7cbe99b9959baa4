package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestDelimiterEncoderEndsFrames(t *testing.T) {
	for _, c := range []struct {
		ds   []string
		text string
	}{
		{[]string{";"}, ""},
		{[]string{";"}, "abc"},
		{[]string{"\r\n", "\n"}, "a\r"},
		{[]string{"--"}, "a-b"},
		{[]string{"--", ";"}, strings.Repeat("a-b", 200)},
	} {
		encodes(t, DelimiterEncoder{Delimiters: delims(c.ds...)}, c.text, c.text+c.ds[0])
	}
}

func TestDelimiterEncoderRefusesWhatTheDecoderWouldCut(t *testing.T) {
	for name, c := range map[string]struct {
		ds   []string
		text string
	}{
		"contains it":                        {[]string{"--"}, "a--b"},
		"contains another":                   {[]string{"--", ";"}, "a;b"},
		"ends in half of it":                 {[]string{"aa"}, "ba"},
		"another begins in it":               {[]string{"--", "x-"}, "abx"},
		"a longer one ends at the same byte": {[]string{"\n", "\r\n"}, "a\r"},
		"another one is the front of it":     {[]string{"ab", "a"}, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			refuses(t, DelimiterEncoder{Delimiters: delims(c.ds...)}, c.text, ErrUnframeable)
		})
	}
}

func TestDelimiterEncoderRefusesWrongSettings(t *testing.T) {
	require.ErrorIs(t, DelimiterEncoder{}.Encode(new(buffer.Writer), NewText("a")), ErrConfig)
}

func TestDelimiterEncoderAcceptsExactlyWhatComesBackWhole(t *testing.T) {
	few := rapid.StringOfN(rapid.RuneFrom([]rune("ab;")), 1, 3, -1)
	rapid.Check(t, func(t *rapid.T) {
		ds := delims(rapid.SliceOfN(few, 1, 3).Draw(t, "delimiters")...)
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab;c")), 0, 8, -1).Draw(t, "text")
		b := buffer.FromString(text)
		defer b.Release()
		var out buffer.Writer
		out.Reset(nil, 0)
		refused := DelimiterEncoder{Delimiters: ds}.Encode(&out, b) != nil
		out.Discard()
		in := buffer.FromString(text + string(ds[0]))
		defer in.Release()
		f, ok, err := (&Delimiter{Delimiters: ds}).Decode(in)
		require.NoError(t, err)
		require.True(t, ok)
		comesBack := string(f.Bytes()) == text && in.Len() == 0
		f.Release()
		require.Equal(t, comesBack, !refused)
	})
}
