package codec

import (
	"math"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// LengthField cuts bytes into frames that say how long they are: a number of LengthBytes bytes at Offset, to which
// Adjustment is added, counts the bytes behind it. It emits each frame as a *buffer.Buffer, which the receiver must
// Release. A frame over the limit is one *TooLongError and is dropped without being held; a length that makes
// no sense is a *CorruptedError, and the bytes up to it are dropped. The zero value reads frames behind a 4-byte
// length, most significant byte first; do not copy it once used.
//
//	bytes:  | Offset bytes | length | length + Adjustment bytes |
//	frame:  | all of that without the first Strip bytes         |
type LengthField struct {
	Unshared
	// MaxBytes is the limit of one frame, everything before Strip counted. 0 = DefaultMaxFrame.
	MaxBytes int
	// Offset is the number of bytes in front of the length.
	Offset int
	// LengthBytes is the width of the length: 1, 2, 3, 4 or 8. 0 = 4.
	LengthBytes int
	// Adjustment is added to the length to get the number of bytes behind it: negative when the length counts
	// itself or what stands before it, positive when it leaves out a part of the header.
	Adjustment int
	// Strip is the number of bytes that are taken off the front of each frame.
	Strip int
	// LittleEndian: the least significant byte of the length comes first.
	LittleEndian bool
	// ReportLate reports a frame that is too long when all of it is dropped, and not as soon as its length is
	// known.
	ReportLate bool

	cutter
	skip    skipper
	checked bool
	work    uint64 // header bytes looked at, for the test of linearity
}

var (
	_ Decoder[*buffer.Buffer]    = (*LengthField)(nil)
	_ EOFDecoder[*buffer.Buffer] = (*LengthField)(nil)
	_ Bounded                    = (*LengthField)(nil)
	_ Resetter                   = (*LengthField)(nil)
	_ Checker                    = (*LengthField)(nil)
)

// Decode implements Decoder. The caller must Release f.
func (d *LengthField) Decode(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if d.skip.active() {
		if err := d.skip.drop(in); err != nil || d.skip.active() {
			return nil, false, err
		}
	}
	if !d.checked {
		if err := d.Check(); err != nil {
			return nil, false, err
		}
		d.checked = true
	}
	header := d.Offset + d.width()
	if in.Len() < header {
		return nil, false, nil
	}
	d.work += uint64(d.width())
	n, valid := d.frameBytes(in.Peek(header)[d.Offset:])
	switch {
	case !valid || n < int64(header):
		in.Skip(header)
		return nil, false, d.corrupted("length makes no sense")
	case n > int64(d.limit()):
		return nil, false, d.skip.begin(in, n, &TooLongError{Codec: "length field", Limit: d.limit(), Length: n}, d.ReportLate)
	case int64(d.Strip) > n:
		return nil, false, d.skip.begin(in, n, d.corrupted("frame shorter than what is stripped"), false)
	case int64(in.Len()) < n:
		return nil, false, nil
	}
	in.Skip(d.Strip)
	return d.cut(in, int(n)-d.Strip), true, nil
}

// frameBytes reads the length in field and works out the whole frame. valid is false when that is no number of
// bytes that could ever come.
func (d *LengthField) frameBytes(field []byte) (n int64, valid bool) {
	v, known := readLength(field, d.LittleEndian)
	if !known || v > math.MaxInt64 {
		return 0, false
	}
	// more can't wrap, since Check has seen that all of them are moderate; the sum with v can.
	more := int64(d.Adjustment) + int64(d.Offset+d.width())
	n = int64(v) + more
	if more > 0 && n < int64(v) {
		return 0, false
	}
	return n, true
}

func (d *LengthField) corrupted(what string) error {
	return &CorruptedError{Codec: "length field", What: what}
}

// DecodeEOF implements EOFDecoder: bytes of a frame that is not complete are a *TruncatedError.
func (d *LengthField) DecodeEOF(in *buffer.Buffer) (f *buffer.Buffer, ok bool, err error) {
	if f, ok, err = d.Decode(in); ok || err != nil {
		return f, ok, err
	}
	if d.skip.active() {
		return nil, false, d.skip.end()
	}
	return nil, false, truncated(in, "length field")
}

func (d *LengthField) width() int { return orDefault(d.LengthBytes, 4) }

func (d *LengthField) limit() int { return orDefault(d.MaxBytes, DefaultMaxFrame) }

// MaxHeld implements Bounded: one frame.
func (d *LengthField) MaxHeld() int { return max(d.limit(), d.Offset+d.width()) }

// Check implements Checker.
func (d *LengthField) Check() error {
	return checkLengthField(d.width(), d.Offset, d.Adjustment, d.Strip)
}

// Reset implements Resetter.
func (d *LengthField) Reset() { d.skip = skipper{} }

// checkLengthField finds settings that no protocol has.
func checkLengthField(width, offset, adjustment, strip int) error {
	const most = 1 << 30 // keeps every sum of them far from overflow
	switch width {
	case 1, 2, 3, 4, 8:
	default:
		return wrongSettings("length of %d bytes", width)
	}
	if offset < 0 || offset > most || strip < 0 || strip > most || adjustment < -most || adjustment > most {
		return wrongSettings("offset %d, adjustment %d, strip %d", offset, adjustment, strip)
	}
	return nil
}
