package codec

import (
	"math"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// maxVarint is the most bytes of a length in base 128.
const maxVarint = 5

// Varint cuts bytes into frames behind their length in base 128, least significant group first, as protocol buffers
// are sent. It emits each without the length as a *buffer.Buffer, which the receiver must Release. A frame over the
// limit is one *TooLongError and is dropped without being held; a length of more than five bytes or above 2^31-1 is a
// *CorruptedError, and its bytes are dropped. The zero value is ready; do not copy it once used.
type Varint struct {
	Unshared
	// MaxBytes is the limit of one frame without its length. 0 = DefaultMaxFrame.
	MaxBytes int
	// ReportLate reports a frame that is too long when all of it is dropped, and not as soon as its length is
	// known.
	ReportLate bool

	cutter
	skip skipper
	work uint64 // length bytes looked at, for the test of linearity
}

var (
	_ Decoder[*buffer.Buffer]    = (*Varint)(nil)
	_ EOFDecoder[*buffer.Buffer] = (*Varint)(nil)
	_ Bounded                    = (*Varint)(nil)
	_ Resetter                   = (*Varint)(nil)
)

// Decode implements Decoder. A length that is not all there stays in the buffer. The caller must Release f.
func (d *Varint) Decode(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if d.skip.active() {
		if err := d.skip.drop(in); err != nil || d.skip.active() {
			return nil, false, err
		}
	}
	n, width, valid := varint31(in.Bytes())
	d.work += uint64(width)
	switch {
	case !valid:
		in.Skip(width)
		return nil, false, &CorruptedError{Codec: "varint", What: "length of more than 31 bits"}
	case width == 0:
		return nil, false, nil
	case n > d.limit():
		whole := int64(n) + int64(width)
		return nil, false, d.skip.begin(in, whole, &TooLongError{Codec: "varint", Limit: d.limit(), Length: int64(n)}, d.ReportLate)
	case in.Len() < width+n:
		return nil, false, nil
	}
	in.Skip(width)
	return d.cut(in, n), true, nil
}

// varint31 reads a number of at most 31 bits. width is the number of bytes it takes, 0 when it is not all there.
// When it is not valid, width is how many bytes show that.
func varint31(b []byte) (v, width int, valid bool) {
	var sum uint64
	for i, c := range b[:min(len(b), maxVarint)] {
		sum |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return int(sum), i + 1, sum <= math.MaxInt32
		}
	}
	if len(b) < maxVarint {
		return 0, 0, true
	}
	return 0, maxVarint, false
}

// DecodeEOF implements EOFDecoder: bytes of a frame that is not complete are a *TruncatedError.
func (d *Varint) DecodeEOF(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if f, ok, err = d.Decode(in); ok || err != nil {
		return f, ok, err
	}
	if d.skip.active() {
		return nil, false, d.skip.end()
	}
	return nil, false, truncated(in, "varint")
}

func (d *Varint) limit() int { return orDefault(d.MaxBytes, DefaultMaxFrame) }

// MaxHeld implements Bounded: one frame and its length.
func (d *Varint) MaxHeld() int { return d.limit() + maxVarint }

// Reset implements Resetter.
func (d *Varint) Reset() { d.skip = skipper{} }
