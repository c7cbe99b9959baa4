package codec

import "github.com/penstock-go/penstock/pipeline/buffer"

// FixedLength cuts bytes into frames of one length and emits each as a *buffer.Buffer, which the receiver must
// Release. It keeps no state. As an encoder's counterpart nothing is needed: write messages of that length.
type FixedLength struct {
	// Bytes is the length of each frame. Required.
	Bytes int
}

var (
	_ Decoder[*buffer.Buffer] = FixedLength{}
	_ Bounded                 = FixedLength{}
	_ Checker                 = FixedLength{}
)

// Decode implements Decoder. The caller must Release f.
func (d FixedLength) Decode(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if err := d.Check(); err != nil {
		return nil, false, err
	}
	if in.Len() < d.Bytes {
		return nil, false, nil
	}
	return cut(in, d.Bytes), true, nil
}

// MaxHeld implements Bounded.
func (d FixedLength) MaxHeld() int { return d.Bytes }

// Check implements Checker.
func (d FixedLength) Check() error {
	if d.Bytes <= 0 {
		return wrongSettings("frames of %d bytes", d.Bytes)
	}
	return nil
}
