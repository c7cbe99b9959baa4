package codectest

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Options say what is special about a decoder and its messages. The zero value is for decoders whose messages
// reflect.DeepEqual can compare, or are *buffer.Buffer or *buffer.Composite, of which the bytes count.
type Options[M any] struct {
	// Equal reports whether got is the wanted message. nil: see above.
	Equal func(want, got M) bool
	// Join puts the pieces of streamed messages together that depend on where the input was cut, before they are
	// compared. It must not release what it is given, and its results are not released. nil: nothing depends on it.
	Join func(got []M) []M
	// Show is a message in a failure's text. nil: its bytes quoted, else its type and %+v.
	Show func(m M) string
	// Once says that the input can't be followed by more of its kind on one connection (a handshake).
	Once bool
	// EOF says that the stream ends behind the input: DecodeEOF is called, and what it gives counts.
	EOF bool
	// Modifies says that the decoder may change bytes in place (unmasking).
	Modifies bool
}

func (o *Options[M]) equal(want, got M) bool {
	if o.Equal != nil {
		return o.Equal(want, got)
	}
	w, isBytes := contents(want)
	g, gotBytes := contents(got)
	if isBytes || gotBytes {
		return isBytes == gotBytes && bytes.Equal(w, g)
	}
	return reflect.DeepEqual(want, got)
}

func (o *Options[M]) show(m M) string {
	if o.Show != nil {
		return o.Show(m)
	}
	if p, ok := contents(m); ok {
		return fmt.Sprintf("%T %s", m, quote(p))
	}
	return fmt.Sprintf("%T %+v", m, m)
}

// contents are the bytes of a message that is nothing but bytes.
func contents(m any) ([]byte, bool) {
	switch m := m.(type) {
	case *buffer.Buffer:
		if m != nil {
			return m.Bytes(), true
		}
	case *buffer.Composite:
		if m != nil {
			return m.Bytes(), true
		}
	}
	return nil, false
}

// mostQuoted is how many bytes a failure's text shows.
const mostQuoted = 64

func quote(p []byte) string {
	if len(p) > mostQuoted {
		return fmt.Sprintf("%q... (%d bytes)", p[:mostQuoted], len(p))
	}
	return fmt.Sprintf("%q", p)
}
