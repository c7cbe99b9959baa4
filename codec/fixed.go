package codec

import "github.com/penstock-go/penstock/pipeline/buffer"

// FixedLength cuts bytes into frames of one length and emits each as a *buffer.Buffer, which the receiver must
// Release. As an encoder's counterpart nothing is needed: write messages of that length.
type FixedLength struct {
	// Bytes is the length of each frame. Required.
	Bytes int

	cutter
}

var (
	_ Decoder[*buffer.Buffer] = (*FixedLength)(nil)
	_ Bounded                 = (*FixedLength)(nil)
	_ Checker                 = (*FixedLength)(nil)
)

// Decode implements Decoder. The caller must Release f.
func (d *FixedLength) Decode(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if err := d.Check(); err != nil {
		return nil, false, err
	}
	if in.Len() < d.Bytes {
		return nil, false, nil
	}
	return d.cut(in, d.Bytes), true, nil
}

// MaxHeld implements Bounded.
func (d *FixedLength) MaxHeld() int { return d.Bytes }

// Check implements Checker.
func (d *FixedLength) Check() error {
	if d.Bytes <= 0 {
		return wrongSettings("frames of %d bytes", d.Bytes)
	}
	return nil
}
