package codec

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// DelimiterEncoder puts the first of Delimiters behind each outbound *buffer.Buffer, *buffer.Composite and *Text. It
// refuses what Delimiter with the same settings would cut elsewhere, with an error that matches ErrUnframeable.
type DelimiterEncoder struct {
	// Delimiters are those that the peer looks for. Required; none may be empty.
	Delimiters [][]byte
}

var (
	_ Encoder[any] = DelimiterEncoder{}
	_ Accepter     = DelimiterEncoder{}
	_ Checker      = DelimiterEncoder{}
)

// Accepts implements Accepter.
func (DelimiterEncoder) Accepts(msg any) bool { return isPayload(msg) }

// Takes lists the types that Accepts accepts.
func (DelimiterEncoder) Takes() []reflect.Type { return payloadTypes() }

// Check implements Checker.
func (e DelimiterEncoder) Check() error { return checkDelimiters(e.Delimiters) }

// Size implements Encoder.
func (e DelimiterEncoder) Size(msg any) int {
	if len(e.Delimiters) == 0 {
		return 0
	}
	return ownBytes(msg) + len(e.Delimiters[0])
}

// Encode implements Encoder.
func (e DelimiterEncoder) Encode(out *buffer.Writer, msg any) error {
	if err := e.Check(); err != nil {
		return err
	}
	end := e.Delimiters[0]
	n := payloadLen(msg)
	for _, d := range e.Delimiters {
		at := firstAt(msg, end, d)
		if at < 0 {
			continue
		}
		// Another delimiter may only lie inside ours, and must not be complete before it.
		longer := at+len(d) == n+len(end) && len(d) > len(end)
		if at+len(d) < n+len(end) || longer {
			return ErrUnframeable
		}
	}
	appendPayload(out, msg)
	out.Append(end)
	return nil
}
