package codec

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestFramesOfUpTo256BytesAreCopies(t *testing.T) {
	for _, n := range []int{0, 1, 256, 257, 1000} {
		in := buffer.FromString(strings.Repeat("x", 1000))
		p := in.Bytes()
		var c cutter
		f := c.cut(in, n)
		require.Equal(t, strings.Repeat("x", n), string(f.Bytes()))
		require.Equal(t, 1000-n, in.Len())
		require.Equal(t, n <= 256, in.Unique(), "%d bytes", n)
		if n > 256 {
			require.Same(t, &p[0], &f.Bytes()[0])
		}
		in.Release()
		require.Equal(t, strings.Repeat("x", n), string(f.Bytes()), "it outlives the read buffer")
		f.Release()
	}
}

func TestFramesComeFromTheLoopsMemory(t *testing.T) {
	for name, h := range map[string]pipeline.Handler{
		"line":         NewDecoder(&Line{}),
		"delimiter":    NewDecoder(&Delimiter{Delimiters: delims("\n")}),
		"fixed length": NewDecoder(&FixedLength{Bytes: 2}),
		"varint":       NewDecoder(&Varint{}),
		"length field": NewDecoder(&LengthField{LengthBytes: 1}),
	} {
		t.Run(name, func(t *testing.T) {
			var live int
			ch := whole(t, h, pipeline.OnLend(func(ctx *pipeline.Context, _ *buffer.Buffer) error {
				live = ctx.Loop().Pool().Live()
				return nil
			}))
			ch.Feed("\x01\n")
			require.Equal(t, 2, live, "the read buffer and the frame")
		})
	}
}

func TestSkipperReportsOnceWhenItIsTold(t *testing.T) {
	for name, late := range map[string]bool{"at once": false, "late": true} {
		t.Run(name, func(t *testing.T) {
			var s skipper
			in := buffer.FromString("abc")
			var errs []error
			note := func(err error) {
				if err != nil {
					errs = append(errs, err)
				}
			}
			note(s.begin(in, 5, errBad, late))
			require.Zero(t, in.Len())
			require.True(t, s.active())
			require.Equal(t, !late, len(errs) == 1)
			in.Release()
			in = buffer.FromString("defg")
			note(s.drop(in))
			require.False(t, s.active())
			require.Equal(t, "fg", string(in.Bytes()))
			in.Release()
			require.Equal(t, []error{errBad}, errs)
		})
	}
}

func TestDecodeEOFGivesWholeFramesFirst(t *testing.T) {
	for name, d := range map[string]EOFDecoder[*buffer.Buffer]{
		"line":         &Line{},
		"delimiter":    &Delimiter{Delimiters: delims("\n")},
		"length field": &LengthField{LengthBytes: 1, Strip: 1},
		"varint":       &Varint{},
	} {
		t.Run(name, func(t *testing.T) {
			input := "\x02ab\x02cd\x02e"
			if name == "line" || name == "delimiter" {
				input = "ab\ncd\ne"
			}
			in := buffer.FromString(input)
			defer in.Release()
			for _, want := range []string{"ab", "cd"} {
				f, ok, err := d.DecodeEOF(in)
				require.NoError(t, err)
				require.True(t, ok)
				require.Equal(t, want, string(f.Bytes()))
				f.Release()
			}
			_, ok, err := d.DecodeEOF(in)
			require.False(t, ok)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Zero(t, in.Len())
		})
	}
}
