package codec

import (
	"reflect"
	"unicode/utf8"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Text is a string as a message. Messages travel as pointers: a string in an `any` would be boxed anew at every
// typed handler, and a bare *string reads badly in a switch and in the unread-message log.
type Text struct {
	// S is the text.
	S string
}

// NewText makes a message of s.
func NewText(s string) *Text { return &Text{S: s} }

// String is the text.
func (t *Text) String() string { return t.S }

// TextDecoder turns each *buffer.Buffer, one frame of a decoder in front of it, into a *Text. It is run by
// NewMessageDecoder.
type TextDecoder struct {
	// AllowInvalid lets bytes pass that are no UTF-8. Otherwise they are a *CorruptedError.
	AllowInvalid bool
}

var _ MessageDecoder[*buffer.Buffer] = TextDecoder{}

// DecodeMessage implements MessageDecoder.
func (d TextDecoder) DecodeMessage(b *buffer.Buffer, emit func(msg any)) error {
	if !d.AllowInvalid && !utf8.Valid(b.Bytes()) {
		return &CorruptedError{Codec: "text", What: "not UTF-8"}
	}
	emit(NewText(string(b.Bytes())))
	return nil
}

// Emits is *Text.
func (TextDecoder) Emits() []reflect.Type { return []reflect.Type{reflect.TypeFor[*Text]()} }

// TextEncoder turns each *Text into bytes, without framing them; LineEncoder and the other encoders of frames take a
// *Text themselves.
type TextEncoder struct{}

var _ Encoder[*Text] = TextEncoder{}

// Size implements Encoder.
func (TextEncoder) Size(t *Text) int { return len(t.S) }

// Encode implements Encoder.
func (TextEncoder) Encode(out *buffer.Writer, t *Text) error {
	out.AppendString(t.S)
	return nil
}
