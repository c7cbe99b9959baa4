package codec

import (
	"bytes"
	"reflect"
	"strings"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// LineEncoder puts a line end behind each outbound *buffer.Buffer, *buffer.Composite and *Text. It refuses what
// Line would cut or shorten, with an error that matches ErrUnframeable: bytes that contain \n, and, unless CRLF is
// set, bytes that end in \r.
type LineEncoder struct {
	// CRLF ends lines in \r\n. false: \n.
	CRLF bool
}

var (
	_ Encoder[any] = LineEncoder{}
	_ Accepter     = LineEncoder{}
)

// Accepts implements Accepter.
func (LineEncoder) Accepts(msg any) bool { return isPayload(msg) }

// Takes lists the types that Accepts accepts.
func (LineEncoder) Takes() []reflect.Type { return payloadTypes() }

// Size implements Encoder.
func (LineEncoder) Size(msg any) int { return ownBytes(msg) + len("\r\n") }

// Encode implements Encoder.
func (e LineEncoder) Encode(out *buffer.Writer, msg any) error {
	whole, last := lineOf(msg)
	if !whole || last == '\r' && !e.CRLF {
		return ErrUnframeable
	}
	appendPayload(out, msg)
	if e.CRLF {
		out.AppendByte('\r')
	}
	out.AppendByte('\n')
	return nil
}

// lineOf reports whether msg is without \n, and its last byte, 0 when it has none.
func lineOf(msg any) (whole bool, last byte) {
	if t, ok := msg.(*Text); ok {
		if n := len(t.S); n > 0 {
			last = t.S[n-1]
		}
		return strings.IndexByte(t.S, '\n') < 0, last
	}
	whole = true
	eachPiece(msg, func(p []byte) bool {
		if len(p) > 0 {
			last = p[len(p)-1]
		}
		whole = bytes.IndexByte(p, '\n') < 0
		return whole
	})
	return whole, last
}
