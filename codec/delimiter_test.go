package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// delims is a list of delimiters.
func delims(ds ...string) [][]byte {
	var list [][]byte
	for _, d := range ds {
		list = append(list, []byte(d))
	}
	return list
}

func TestF2Delimiters(t *testing.T) {
	tooLong := "codec: delimiter: frame too long, limit 4 bytes"
	for name, c := range map[string]struct {
		d     Delimiter
		input string
		want  []string
	}{
		"one byte":                        {Delimiter{Delimiters: delims("\x00")}, "a\x00bc\x00\x00", []string{`"a"`, `"bc"`, `""`}},
		"several bytes":                   {Delimiter{Delimiters: delims("--")}, "a--b-c----", []string{`"a"`, `"b-c"`, `""`}},
		"the first to be complete wins":   {Delimiter{Delimiters: delims("abcd", "c")}, "xabcdy", []string{`"xab"`, "codec: delimiter: peer closed in the middle of a message (2 bytes)"}},
		"shortest frame wins":             {Delimiter{Delimiters: delims("\n", "\r\n")}, "a\r\nb\n", []string{`"a"`, `"b"`}},
		"the order does not matter":       {Delimiter{Delimiters: delims("\r\n", "\n")}, "a\r\nb\n", []string{`"a"`, `"b"`}},
		"overlapping itself":              {Delimiter{Delimiters: delims("aa")}, "xaaaay", []string{`"x"`, `""`, "codec: delimiter: peer closed in the middle of a message (1 bytes)"}},
		"kept":                            {Delimiter{Delimiters: delims("--", ";"), KeepEnd: true}, "a--b;", []string{`"a--"`, `"b;"`}},
		"as long as the limit":            {Delimiter{Delimiters: delims("--"), MaxBytes: 4}, "abcd--x--", []string{`"abcd"`, `"x"`}},
		"one byte more":                   {Delimiter{Delimiters: delims("--"), MaxBytes: 4}, "abcde--ok--", []string{tooLong, `"ok"`}},
		"half a delimiter at the limit":   {Delimiter{Delimiters: delims("--"), MaxBytes: 4}, "abcd-e--ok--", []string{tooLong, `"ok"`}},
		"much more, one error":            {Delimiter{Delimiters: delims("--", "\n"), MaxBytes: 4}, strings.Repeat("l-o-n-g", 9) + "--ok\n", []string{tooLong, `"ok"`}},
		"end of input in a long frame":    {Delimiter{Delimiters: delims("--"), MaxBytes: 4}, "abcdefghi", []string{tooLong}},
		"late: reported with its length":  {Delimiter{Delimiters: delims("--"), MaxBytes: 4, ReportLate: true}, "abcdefghi--ok--", []string{"codec: delimiter: frame of 9 bytes too long, limit 4", `"ok"`}},
		"late: end of input in the frame": {Delimiter{Delimiters: delims("--"), MaxBytes: 4, ReportLate: true}, "abcdefghi", []string{"codec: delimiter: frame of 9 bytes too long, limit 4"}},
	} {
		t.Run(name, func(t *testing.T) {
			sameForEveryCut(t, func() Decoder[*buffer.Buffer] { d := c.d; return &d }, c.input, c.want...)
		})
	}
}

func TestDelimiterRefusesWrongSettings(t *testing.T) {
	for _, ds := range [][][]byte{nil, delims("a", "")} {
		in := buffer.FromString("abc")
		_, _, err := (&Delimiter{Delimiters: ds}).Decode(in)
		require.ErrorIs(t, err, ErrConfig)
		in.Release()
	}
}

func TestDelimiterThatIsRareIsNotSearchedForAgainBehindEachFrame(t *testing.T) {
	const n = 4000
	input := strings.Repeat("x\n", n)
	for how, pieces := range map[string][]string{"whole": {input}, "byte by byte": strings.Split(input, "")} {
		d := &Delimiter{Delimiters: delims("\n", "rare", "\x00")}
		require.Len(t, frames(t, d, pieces...), n)
		require.LessOrEqual(t, d.work, uint64(3*6*len(input)), how) // each byte once per delimiter, and its overlap
	}
}

func TestDelimiterResetForgetsALongFrame(t *testing.T) {
	d := &Delimiter{Delimiters: delims("--"), MaxBytes: 2}
	in := buffer.FromString("abcdef-")
	defer in.Release()
	_, _, err := d.Decode(in)
	require.ErrorIs(t, err, ErrTooLong)
	d.Reset()
	require.Equal(t, []string{`"ab"`}, frames(t, d, "ab--"))
}
