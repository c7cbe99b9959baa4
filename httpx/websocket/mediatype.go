package websocket

import (
	"fmt"
	"strings"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// MessageOf makes one message of a frame of another protocol whose body is of contentType: text when that says text
// and the octets are UTF-8 from the first to the last, else binary, which any octets may be. It is for protocols over a
// Stream whose frames are of either kind, STOMP for example, and is all that a hook of their encoder has to call:
//
//	WrapFrame: func(f *stomp.Frame, encoded any) (any, error) {
//		return websocket.MessageOf(f.Headers.Get("content-type"), encoded)
//	},
//
// encoded is a *buffer.Buffer or a *buffer.Composite, which it takes and does not copy; anything else is an error. "" is
// binary. Safe for concurrent use. The caller must release the result or pass it on.
func MessageOf(contentType string, encoded any) (*Message, error) {
	m := NewMessage(TypeBinary)
	switch b := encoded.(type) {
	case *buffer.Buffer:
		m.AppendBuffer(b)
	case *buffer.Composite:
		m.AppendComposite(b)
	default:
		m.Release()
		buffer.Release(encoded)
		return nil, fmt.Errorf("websocket: no message of a %T", encoded)
	}
	if isText(contentType) && checkText(m) == nil {
		m.Type, m.valid = TypeText, true
	}
	return m, nil
}

// isText reports whether a media type is text: text/* or application/json, with parameters or without. RFC 9110, 8.3.1.
func isText(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	const top = "text/"
	return len(media) > len(top) && strings.EqualFold(media[:len(top)], top) || strings.EqualFold(media, "application/json")
}
