package codec

import (
	"io"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// verified is what the frame decoders are verified with.
type verified struct {
	newDecoder func() codectest.Decoder[*buffer.Buffer]
	input      string
	want       []string
}

func verifiedDecoders() map[string]verified {
	long := strings.Repeat("long ", 100)
	return map[string]verified{
		"line": {
			newDecoder: func() codectest.Decoder[*buffer.Buffer] { return &Line{} },
			input:      "a\nbc\r\n\n" + long + "\n", want: []string{"a", "bc", "", long},
		},
		"line, ends kept": {
			newDecoder: func() codectest.Decoder[*buffer.Buffer] { return &Line{KeepEnd: true} },
			input:      "a\nbc\r\n\n", want: []string{"a\n", "bc\r\n", "\n"},
		},
		"delimiter": {
			newDecoder: func() codectest.Decoder[*buffer.Buffer] {
				return &Delimiter{Delimiters: delims("\r\n", "\n", "--")}
			},
			input: "a\r\nb-c--" + long + "\n\n", want: []string{"a", "b-c", long, ""},
		},
		"fixed length": {
			newDecoder: func() codectest.Decoder[*buffer.Buffer] { return &FixedLength{Bytes: 3} },
			input:      "abcdef", want: []string{"abc", "def"},
		},
		"length field": {
			newDecoder: func() codectest.Decoder[*buffer.Buffer] {
				return &LengthField{Offset: 1, LengthBytes: 2, Adjustment: -3, Strip: 3}
			},
			input: "H\x00\x05abH\x00\x03H\x01\xf7" + long, want: []string{"ab", "", long},
		},
		"varint": {
			newDecoder: func() codectest.Decoder[*buffer.Buffer] { return &Varint{} },
			input:      "\x02ab\x00\xf4\x03" + long, want: []string{"ab", "", long},
		},
	}
}

// buffersOf is texts as frames that a decoder might give.
func buffersOf(texts []string) []*buffer.Buffer {
	list := make([]*buffer.Buffer, 0, len(texts))
	for _, s := range texts {
		list = append(list, buffer.Wrap([]byte(s)))
	}
	return list
}

func TestVerifyDecoders(t *testing.T) {
	for name, v := range verifiedDecoders() {
		t.Run(name, func(t *testing.T) {
			codectest.Verify(t, v.newDecoder, []byte(v.input), buffersOf(v.want), codectest.Options[*buffer.Buffer]{})
		})
	}
}

func TestVerifyDecodersRefuse(t *testing.T) {
	type refused struct {
		newDecoder func() codectest.Decoder[*buffer.Buffer]
		input      string
		want       []string
		target     error
	}
	for name, r := range map[string]refused{
		"line too long": {
			func() codectest.Decoder[*buffer.Buffer] { return &Line{MaxBytes: 5} },
			"ok\n" + strings.Repeat("x", 20) + "\n",
			[]string{"ok"},
			ErrTooLong,
		},
		"delimited frame too long": {
			func() codectest.Decoder[*buffer.Buffer] { return &Delimiter{Delimiters: delims("--"), MaxBytes: 5} },
			"ok--" + strings.Repeat("x", 20) + "--",
			[]string{"ok"},
			ErrTooLong,
		},
		"length too long": {
			func() codectest.Decoder[*buffer.Buffer] { return &LengthField{LengthBytes: 1, MaxBytes: 5, Strip: 1} },
			"\x02ok\x14" + strings.Repeat("x", 20),
			[]string{"ok"},
			ErrTooLong,
		},
		"length too long, late": {
			func() codectest.Decoder[*buffer.Buffer] {
				return &LengthField{LengthBytes: 1, MaxBytes: 5, Strip: 1, ReportLate: true}
			},
			"\x02ok\x14" + strings.Repeat("x", 20),
			[]string{"ok"},
			ErrTooLong,
		},
		"length corrupted": {
			func() codectest.Decoder[*buffer.Buffer] {
				return &LengthField{LengthBytes: 1, Adjustment: -2, Strip: 1}
			},
			"\x04ok\x00",
			[]string{"ok"},
			ErrCorrupted,
		},
		"varint too long": {
			func() codectest.Decoder[*buffer.Buffer] { return &Varint{MaxBytes: 5} },
			"\x02ok\x14" + strings.Repeat("x", 20),
			[]string{"ok"},
			ErrTooLong,
		},
		"varint malformed": {
			func() codectest.Decoder[*buffer.Buffer] { return &Varint{} },
			"\x02ok\xff\xff\xff\xff\xff",
			[]string{"ok"},
			ErrCorrupted,
		},
	} {
		t.Run(name, func(t *testing.T) {
			codectest.VerifyError(t, r.newDecoder, []byte(r.input), buffersOf(r.want), r.target, codectest.Options[*buffer.Buffer]{})
		})
	}
}

func TestVerifyDecodersAtTheEndOfInput(t *testing.T) {
	for name, v := range verifiedDecoders() {
		if name == "fixed length" {
			continue // has no say there; the driver reports the rest
		}
		t.Run(name, func(t *testing.T) {
			codectest.VerifyError(t, v.newDecoder, []byte(v.input+v.input[:1]), buffersOf(v.want), io.ErrUnexpectedEOF,
				codectest.Options[*buffer.Buffer]{EOF: true})
		})
	}
}

func TestVerifyWorkIsLinear(t *testing.T) {
	long := strings.Repeat("x", 32<<10)
	for name, c := range map[string]struct {
		newDecoder func() codectest.Decoder[*buffer.Buffer]
		input      string
	}{
		"line": {func() codectest.Decoder[*buffer.Buffer] { return &Line{MaxBytes: 1 << 20} }, long},
		"delimiter": {func() codectest.Decoder[*buffer.Buffer] {
			return &Delimiter{Delimiters: delims("--", "\n"), MaxBytes: 1 << 20}
		}, long},
		"fixed length": {func() codectest.Decoder[*buffer.Buffer] { return &FixedLength{Bytes: 1 << 20} }, long},
		"length field": {func() codectest.Decoder[*buffer.Buffer] { return &LengthField{} }, "\x00\x00\xff\xff" + long},
		"varint":       {func() codectest.Decoder[*buffer.Buffer] { return &Varint{} }, "\x80\x80\x04" + long},
	} {
		t.Run(name, func(t *testing.T) { codectest.VerifyLinear(t, c.newDecoder, []byte(c.input)) })
	}
}
