package codec

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// isPayload reports whether msg is something that the encoders of frames take: bytes, or a text.
func isPayload(msg any) bool {
	switch msg.(type) {
	case *buffer.Buffer, *buffer.Composite, *Text:
		return true
	}
	return false
}

// payloadTypes are those that isPayload accepts.
func payloadTypes() []reflect.Type { return append(bytesTypes(), reflect.TypeFor[*Text]()) }

// payloadLen is the number of bytes of msg.
func payloadLen(msg any) int {
	switch m := msg.(type) {
	case *buffer.Buffer:
		return m.Len()
	case *buffer.Composite:
		return m.Len()
	case *Text:
		return len(m.S)
	}
	return 0
}

// ownBytes is how many bytes of msg appendPayload writes into the Writer's own buffer, about.
func ownBytes(msg any) int {
	const byReference = 256
	if n := payloadLen(msg); n <= byReference {
		return n
	}
	if t, ok := msg.(*Text); ok {
		return len(t.S)
	}
	return 0
}

// appendPayload appends the bytes of msg, large ones by reference. msg stays the caller's.
func appendPayload(out *buffer.Writer, msg any) {
	switch m := msg.(type) {
	case *buffer.Buffer:
		m.Retain()
		out.AppendRef(m)
	case *buffer.Composite:
		appendRope(out, m)
	case *Text:
		out.AppendString(m.S)
	}
}

// appendRope appends the parts of m by reference, as far as they are whole windows of their buffers.
func appendRope(out *buffer.Writer, m *buffer.Composite) {
	for i := range m.Parts() {
		b, window := m.RetainPart(i)
		if same(b.Bytes(), window) {
			out.AppendRef(b)
			continue
		}
		out.Append(window)
		b.Release()
	}
}

// appendPart appends n bytes of msg from offset off. msg stays the caller's.
func appendPart(out *buffer.Writer, msg any, off, n int) {
	switch m := msg.(type) {
	case *buffer.Buffer:
		out.AppendSlice(m.Slice(off, n))
	case *buffer.Composite:
		v := m.View()
		v.Skip(off)
		part := v.Split(n)
		appendRope(out, part)
		part.Release()
		v.Release()
	case *Text:
		out.AppendString(m.S[off : off+n])
	}
}

// eachPiece calls f for the pieces of msg in order until it returns false.
func eachPiece(msg any, f func(piece []byte) bool) {
	switch m := msg.(type) {
	case *buffer.Buffer:
		f(m.Bytes())
	case *buffer.Composite:
		for i := range m.Parts() {
			if !f(m.Part(i)) {
				return
			}
		}
	case *Text:
		f([]byte(m.S))
	}
}

// firstAt is the offset of the first delim in the bytes of msg followed by end, -1 when there is none.
func firstAt(msg any, end, delim []byte) int {
	var seam []byte // the last bytes before the piece, at most one less than delim has
	found, base := -1, 0
	look := func(piece []byte) bool {
		joint := slices.Concat(seam, piece[:min(len(piece), len(delim)-1)])
		if i := bytes.Index(joint, delim); i >= 0 {
			found = base - len(seam) + i
			return false
		}
		if i := bytes.Index(piece, delim); i >= 0 {
			found = base + i
			return false
		}
		base += len(piece)
		if tail := len(delim) - 1; len(piece) >= tail {
			seam = append(seam[:0], piece[len(piece)-tail:]...)
		} else {
			seam = joint[max(0, len(joint)-tail):]
		}
		return true
	}
	eachPiece(msg, look)
	if found < 0 {
		look(end)
	}
	return found
}
