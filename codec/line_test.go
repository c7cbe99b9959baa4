package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestF2Lines(t *testing.T) {
	tooLong := "codec: line: frame too long, limit 4 bytes"
	for name, c := range map[string]struct {
		line  Line
		input string
		want  []string
	}{
		"LF":                              {Line{}, "a\nbc\n", []string{`"a"`, `"bc"`}},
		"CR LF":                           {Line{}, "a\r\nbc\r\n", []string{`"a"`, `"bc"`}},
		"both":                            {Line{}, "a\nbc\r\n\n", []string{`"a"`, `"bc"`, `""`}},
		"empty lines":                     {Line{}, "\n\r\n\n", []string{`""`, `""`, `""`}},
		"CR alone is no end":              {Line{}, "a\rb\n", []string{`"a\rb"`}},
		"only one CR is taken":            {Line{}, "a\r\r\n", []string{`"a\r"`}},
		"ends kept":                       {Line{KeepEnd: true}, "a\r\n\nb\n", []string{`"a\r\n"`, `"\n"`, `"b\n"`}},
		"as long as the limit":            {Line{MaxBytes: 4}, "abcd\nabcd\r\n", []string{`"abcd"`, `"abcd"`}},
		"one byte more":                   {Line{MaxBytes: 4}, "abcde\nok\n", []string{tooLong, `"ok"`}},
		"one byte more before CR LF":      {Line{MaxBytes: 4}, "abcde\r\nok\n", []string{tooLong, `"ok"`}},
		"CR beyond the limit":             {Line{MaxBytes: 4}, "abcd\rx\nok\n", []string{tooLong, `"ok"`}},
		"much more, one error":            {Line{MaxBytes: 4}, strings.Repeat("long", 9) + "\r\nok\n" + strings.Repeat("x", 9) + "\n", []string{tooLong, `"ok"`, tooLong}},
		"two too long in a row":           {Line{MaxBytes: 4}, "abcdefg\nabcdefg\n", []string{tooLong, tooLong}},
		"end of input in a line":          {Line{}, "a\nbc", []string{`"a"`, "codec: line: peer closed in the middle of a message (2 bytes)"}},
		"end of input in a long line":     {Line{MaxBytes: 4}, "a\nabcdefg", []string{`"a"`, tooLong}},
		"late: reported with its length":  {Line{MaxBytes: 4, ReportLate: true}, "abcdefg\r\nok\n", []string{"codec: line: frame of 7 bytes too long, limit 4", `"ok"`}},
		"late: end of input in long line": {Line{MaxBytes: 4, ReportLate: true}, "abcdefg", []string{"codec: line: frame of 7 bytes too long, limit 4"}},
	} {
		t.Run(name, func(t *testing.T) {
			sameForEveryCut(t, func() Decoder[*buffer.Buffer] { l := c.line; return &l }, c.input, c.want...)
		})
	}
}

func TestF2LineTooLongIsNotHeld(t *testing.T) {
	h := NewDecoder(&Line{})
	errs := &swallow{}
	ch := whole(t, h, errs)
	for range 100 {
		ch.Feed(strings.Repeat("x", 1000))
		require.LessOrEqual(t, h.heldLen(), DefaultMaxLine+1)
	}
	ch.Feed("\nnext\n")
	require.Len(t, errs.errs, 1)
	require.ErrorIs(t, errs.errs[0], ErrTooLong)
	b := ch.ReadInbound().(*buffer.Buffer)
	require.Equal(t, "next", string(b.Bytes()))
	b.Release()
}

func TestLineWorkIsLinear(t *testing.T) {
	const n = 4000
	input := strings.Repeat("x", n) + "\n"
	everyCut := map[string][]string{"byte by byte": strings.Split(input, ""), "whole": {input}}
	for how, pieces := range everyCut {
		l := &Line{}
		require.Len(t, frames(t, l, pieces...), 1)
		require.LessOrEqual(t, l.work, uint64(n+1), how)
	}
}

func TestLineFrameIsASliceOfTheReadBuffer(t *testing.T) {
	in := buffer.FromString(strings.Repeat("x", 300) + "\nab\n")
	p := in.Bytes()
	l := &Line{}
	f, ok, err := l.Decode(in)
	require.True(t, ok)
	require.NoError(t, err)
	require.Same(t, &p[0], &f.Bytes()[0], "no copy above 256 bytes")
	small, _, _ := l.Decode(in)
	require.NotSame(t, &p[301], &small.Bytes()[0], "small frames do not pin the read buffer")
	in.Release()
	require.Equal(t, strings.Repeat("x", 300), string(f.Bytes()))
	f.Release()
	small.Release()
}

func TestLineResetForgetsALongLine(t *testing.T) {
	l := &Line{MaxBytes: 2}
	in := buffer.FromString("abcdef")
	defer in.Release()
	_, _, err := l.Decode(in)
	require.ErrorIs(t, err, ErrTooLong)
	l.Reset()
	require.Equal(t, []string{`"ab"`}, frames(t, l, "ab\n"))
}
