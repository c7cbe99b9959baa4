package codectest_test

import (
	"testing"

	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// letters gives as many messages as a byte up to 3 says, all but the first without consuming.
type letters struct{ left int }

func (d *letters) Decode(in *buffer.Buffer) (m *buffer.Buffer, ok bool, err error) {
	if d.left == 0 {
		if in.Len() == 0 {
			return nil, false, nil
		}
		n := in.ReadUint8()
		if n == 0 || n > 3 {
			return nil, false, nil
		}
		d.left = int(n)
	}
	d.left--
	return buffer.FromString("x"), true, nil
}

func (d *letters) Backlog() bool { return d.left > 0 }

func TestMessagesThatADecoderHasLeftNeedNoBytes(t *testing.T) {
	x := buffer.Wrap([]byte("x"))
	codectest.Verify(t, func() codectest.Decoder[*buffer.Buffer] { return &letters{} }, []byte{3, 0, 9, 9, 9, 9, 9, 1},
		[]*buffer.Buffer{x, x, x, x}, codectest.Options[*buffer.Buffer]{})
}
