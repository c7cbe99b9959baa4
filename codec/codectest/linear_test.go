package codectest_test

import (
	"bytes"
	"testing"

	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// rereader looks for the end of a line from the start with every call.
func rereader() codectest.Decoder[*frame] {
	return decoderFunc[*frame](func(in *buffer.Buffer) (*frame, bool, error) {
		for i, c := range in.Bytes() {
			if c == '\n' {
				return &frame{string(in.Next(i + 1))}, true, nil
			}
		}
		return nil, false, nil
	})
}

// scanner goes on where it has stopped.
type scanner struct{ seen int }

// Decode looks at every byte once.
func (s *scanner) Decode(in *buffer.Buffer) (*frame, bool, error) {
	for ; s.seen < in.Len(); s.seen++ {
		if in.Bytes()[s.seen] == '\n' {
			f := &frame{string(in.Next(s.seen + 1))}
			s.seen = 0
			return f, true, nil
		}
	}
	return nil, false, nil
}

func longLine() []byte { return append(bytes.Repeat([]byte("x"), 17<<10), '\n') }

func TestVerifyLinearCatchesADecoderThatReadsAgain(t *testing.T) {
	requireCaught(t, "reads bytes again", func(t *fake) { codectest.VerifyLinear(t, rereader, longLine()) })
}

func TestVerifyLinearAcceptsOneThatGoesOn(t *testing.T) {
	codectest.VerifyLinear(t, func() codectest.Decoder[*frame] { return &scanner{} }, longLine())
}

func TestVerifyLinearNeedsALongInput(t *testing.T) {
	requireCaught(t, "needs 16384 bytes or more, has 3", func(t *fake) {
		codectest.VerifyLinear(t, rereader, []byte("abc"))
	})
}
