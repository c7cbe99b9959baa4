package codec

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// LengthPrefix writes the length into each outbound *buffer.Buffer, *buffer.Composite and *Text that LengthField with
// the same settings reads. Its fields mean what they mean there; what Strip takes off there, beyond the length
// itself, must be in the payload here. Large payloads go by reference. A payload over the limit, or whose length
// does not fit, is refused.
type LengthPrefix struct {
	// MaxBytes is the limit of one frame, the length counted. 0 = DefaultMaxFrame.
	MaxBytes int
	// Offset is how many bytes of the payload go in front of the length.
	Offset int
	// LengthBytes is the width of the length: 1, 2, 3, 4 or 8. 0 = 4.
	LengthBytes int
	// Adjustment is what the peer adds to the length to get the number of bytes behind it.
	Adjustment int
	// LittleEndian: the least significant byte of the length comes first.
	LittleEndian bool
}

var (
	_ Encoder[any] = LengthPrefix{}
	_ Accepter     = LengthPrefix{}
	_ Checker      = LengthPrefix{}
)

// Accepts implements Accepter.
func (LengthPrefix) Accepts(msg any) bool { return isPayload(msg) }

// Takes lists the types that Accepts accepts.
func (LengthPrefix) Takes() []reflect.Type { return payloadTypes() }

// Check implements Checker.
func (e LengthPrefix) Check() error {
	return checkLengthField(orDefault(e.LengthBytes, 4), e.Offset, e.Adjustment, 0)
}

// Size implements Encoder.
func (e LengthPrefix) Size(msg any) int {
	return ownBytes(msg) + e.Offset + orDefault(e.LengthBytes, 4)
}

// Encode implements Encoder.
func (e LengthPrefix) Encode(out *buffer.Writer, msg any) error {
	if err := e.Check(); err != nil {
		return err
	}
	width := orDefault(e.LengthBytes, 4)
	n := payloadLen(msg)
	if limit := orDefault(e.MaxBytes, DefaultMaxFrame); n > limit-width {
		return &TooLongError{Codec: "length prefix", Limit: limit, Length: int64(n) + int64(width)}
	}
	length := n - e.Offset - e.Adjustment
	if n < e.Offset || length < 0 || !fitsLength(uint64(length), width) {
		return &CorruptedError{Codec: "length prefix", What: "length of the payload can't be written"}
	}
	if e.Offset == 0 {
		appendLength(out, uint64(length), width, e.LittleEndian)
		appendPayload(out, msg)
		return nil
	}
	appendPart(out, msg, 0, e.Offset)
	appendLength(out, uint64(length), width, e.LittleEndian)
	appendPart(out, msg, e.Offset, n-e.Offset)
	return nil
}
