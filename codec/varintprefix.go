package codec

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// VarintPrefix puts the length in base 128 in front of each outbound *buffer.Buffer, *buffer.Composite and *Text, as
// Varint reads it. Large payloads go by reference. A payload over the limit is refused.
type VarintPrefix struct {
	// MaxBytes is the limit of one frame without its length. 0 = DefaultMaxFrame; at most 2^31-1.
	MaxBytes int
}

var (
	_ Encoder[any] = VarintPrefix{}
	_ Accepter     = VarintPrefix{}
)

// Accepts implements Accepter.
func (VarintPrefix) Accepts(msg any) bool { return isPayload(msg) }

// Takes lists the types that Accepts accepts.
func (VarintPrefix) Takes() []reflect.Type { return payloadTypes() }

// Size implements Encoder.
func (VarintPrefix) Size(msg any) int { return ownBytes(msg) + maxVarint }

// Encode implements Encoder.
func (e VarintPrefix) Encode(out *buffer.Writer, msg any) error {
	const most = 1<<31 - 1
	n := payloadLen(msg)
	if limit := min(orDefault(e.MaxBytes, DefaultMaxFrame), most); n > limit {
		return &TooLongError{Codec: "varint prefix", Limit: limit, Length: int64(n)}
	}
	out.AppendUvarint(uint64(n))
	appendPayload(out, msg)
	return nil
}
