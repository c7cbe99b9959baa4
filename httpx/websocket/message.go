package websocket

import (
	"fmt"
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Message is a whole data message. It holds its payload by reference and is counted like a buffer: whoever receives it
// owns one reference and must pass it on, keep it, or release it, exactly once. A literal works and has one reference
// too. Retain and Release are safe for concurrent use; one goroutine at a time changes it, any number may read it while
// nobody does. RFC 6455, 5.6.
type Message struct {
	Type Type

	data   *buffer.Buffer    // the payload when it lies in one piece
	rope   *buffer.Composite // or in several
	shared bool              // others may hold rope, too
	n      int
	valid  bool // the payload came from a peer and was found to be UTF-8
	refs   buffer.Refs
}

var _ buffer.Counted = (*Message)(nil)

var messages = sync.Pool{New: func() any { return new(Message) }}

// NewMessage returns a pooled message with one reference and no payload. Safe for concurrent use. The caller must
// release it or pass it on.
func NewMessage(t Type) *Message {
	m := messages.Get().(*Message)
	m.refs.Revive()
	m.Type = t
	return m
}

// NewText returns a text message with a copy of s. Safe for concurrent use. The caller must release it or pass it on.
func NewText(s string) *Message {
	m := NewMessage(TypeText)
	m.AppendString(s)
	return m
}

// NewBinary returns a binary message with a copy of p. Safe for concurrent use. The caller must release it or pass it on.
func NewBinary(p []byte) *Message {
	m := NewMessage(TypeBinary)
	m.AppendBytes(p)
	return m
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (m *Message) Retain() { m.refs.Retain("websocket: message") }

// Release drops one reference. The last one releases the payload and makes the message ready for reuse; one too many
// panics. Safe for concurrent use.
func (m *Message) Release() {
	if !m.refs.Drop("websocket: message") {
		return
	}
	m.clear()
	m.Type = 0
	m.refs.Recycle(&messages, m)
}

// clear releases the payload.
func (m *Message) clear() {
	if m.data != nil {
		m.data.Release()
	}
	if m.rope != nil {
		m.rope.Release()
	}
	m.data, m.rope, m.shared, m.n, m.valid = nil, nil, false, 0, false
}

// Len returns the octets of the payload.
func (m *Message) Len() int { return m.n }

// Parts returns in how many pieces the payload lies: 0 when it is empty.
func (m *Message) Parts() int {
	switch {
	case m.n == 0:
		return 0
	case m.rope != nil:
		return m.rope.Parts()
	}
	return 1
}

// Part returns piece i, 0 <= i < Parts. It is read-only and valid until the message is released.
func (m *Message) Part(i int) []byte {
	if m.rope != nil {
		return m.rope.Part(i)
	}
	return m.data.Bytes()
}

// Bytes returns the payload in one run: the piece itself when there is one, which is read-only and valid until the
// message is released, otherwise a fresh copy.
func (m *Message) Bytes() []byte {
	switch m.Parts() {
	case 0:
		return nil
	case 1:
		return m.Part(0)
	}
	return m.AppendTo(make([]byte, 0, m.n))
}

// Text returns a copy of the payload.
func (m *Message) Text() string { return string(m.Bytes()) }

// AppendTo appends a copy of the payload to dst and returns the extended slice.
func (m *Message) AppendTo(dst []byte) []byte {
	for i := range m.Parts() {
		dst = append(dst, m.Part(i)...)
	}
	return dst
}

// Composite returns the payload as a rope with references of its own, to be read or written elsewhere without a copy.
// The caller must Release the result.
func (m *Message) Composite() *buffer.Composite {
	if m.rope != nil {
		return m.rope.View()
	}
	c := buffer.NewComposite()
	if m.data != nil {
		m.data.Retain()
		c.Append(m.data)
	}
	return c
}

// String describes m for logs: type and length, never the payload.
func (m *Message) String() string { return fmt.Sprintf("%s message of %d B", m.Type, m.n) }
