package codec

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// word is the message of the test codec.
type word struct{ s string }

var errBad = errors.New("bad word")

// words decodes and encodes a byte that counts, then so many bytes. "!" is refused. It counts its calls.
type words struct {
	calls int
	reset int
	eofs  []int // bytes left at each DecodeEOF
	last  string
}

func (d *words) Decode(in *buffer.Buffer) (*word, bool, error) {
	d.calls++
	b := in.Bytes()
	if len(b) == 0 || len(b) < 1+int(b[0]) {
		return nil, false, nil
	}
	s := string(in.Next(1 + int(b[0]))[1:])
	if s == "!" {
		return nil, false, errBad
	}
	return &word{s}, true, nil
}

func (d *words) Reset() { d.reset++ }

func (d *words) Size(w *word) int { return 1 + len(w.s) }

func (d *words) Encode(out *buffer.Writer, w *word) error {
	out.AppendByte(byte(len(w.s)))
	if w.s == "!" {
		return errBad
	}
	out.AppendString(w.s)
	return nil
}

// lastWords is words with a say at the end.
type lastWords struct{ words }

func (d *lastWords) DecodeEOF(in *buffer.Buffer) (*word, bool, error) {
	d.eofs = append(d.eofs, in.Len())
	if d.last == "" {
		return nil, false, nil
	}
	w := &word{d.last}
	d.last = ""
	in.Skip(in.Len())
	return w, true, nil
}

// encoded is the bytes of ws.
func encoded(ws ...string) string {
	var b strings.Builder
	for _, w := range ws {
		b.WriteByte(byte(len(w)))
		b.WriteString(w)
	}
	return b.String()
}

// onWord is a handler that calls f for each word.
func onWord(f func(ctx *pipeline.Context, s string) error) pipeline.Handler {
	return pipeline.OnRead(func(ctx *pipeline.Context, w *word) error { return f(ctx, w.s) })
}

// collect is a handler that notes each word.
func collect(to *[]string) pipeline.Handler {
	return onWord(func(_ *pipeline.Context, s string) error {
		*to = append(*to, s)
		return nil
	})
}

// frames feeds a decoder of frames pieces one after the other, as a driver does, and notes what it gives.
func frames(t testing.TB, d Decoder[*buffer.Buffer], pieces ...string) []string {
	t.Helper()
	var got []string
	held := buffer.Get(0)
	defer func() { held.Release() }()
	for _, p := range pieces {
		larger := buffer.Get(held.Len() + len(p))
		larger.Append(held.Bytes())
		larger.AppendString(p)
		held.Release()
		held = larger
		for held.Len() > 0 {
			before := held.Len()
			f, ok, err := d.Decode(held)
			got = append(got, note(f, ok, err)...)
			if held.Len() == before {
				break
			}
		}
	}
	e, isEOF := d.(EOFDecoder[*buffer.Buffer])
	for isEOF {
		f, ok, err := e.DecodeEOF(held)
		got = append(got, note(f, ok, err)...)
		if !ok {
			require.Zero(t, held.Len(), "DecodeEOF leaves bytes")
			break
		}
	}
	return got
}

// note is a frame as q"text", or an error's text.
func note(f *buffer.Buffer, ok bool, err error) []string {
	switch {
	case err != nil:
		return []string{err.Error()}
	case ok:
		defer f.Release()
		return []string{fmt.Sprintf("%q", f.Bytes())}
	}
	return nil
}

// everyCut calls f with input whole, byte by byte, and cut in two at every place.
func everyCut(input string, f func(how string, pieces ...string)) {
	f("whole", input)
	f("byte by byte", strings.Split(input, "")...)
	for i := 1; i < len(input); i++ {
		f(fmt.Sprintf("cut at %d", i), input[:i], input[i:])
	}
}

// sameForEveryCut requires the same frames and errors however input arrives.
func sameForEveryCut(t *testing.T, newDecoder func() Decoder[*buffer.Buffer], input string, want ...string) {
	t.Helper()
	everyCut(input, func(how string, pieces ...string) {
		require.Equal(t, want, frames(t, newDecoder(), pieces...), how)
	})
}

// whole is a channel whose Feed sends everything in one read.
func whole(t testing.TB, handlers ...pipeline.Handler) *pipelinetest.Channel {
	t.Helper()
	return pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, handlers...)
}
