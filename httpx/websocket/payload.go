package websocket

import "github.com/penstock-go/penstock/pipeline/buffer"

// This file is about how a message gets its payload, and gives it away.

// AppendBuffer adds the readable octets of b to the end of the payload. It takes the reference; while others hold b, too,
// nobody may consume from it.
func (m *Message) AppendBuffer(b *buffer.Buffer) {
	n := b.Len()
	switch {
	case n == 0:
		b.Release()
	case m.n == 0:
		m.data = b
	default:
		m.own().Append(b)
	}
	m.n += n
	m.valid = false
}

// AppendSlice adds s to the end of the payload. It takes the reference.
func (m *Message) AppendSlice(s buffer.Slice) {
	b := s.Buffer()
	s.Release()
	m.AppendBuffer(b)
}

// AppendComposite adds what c has left to the end of the payload. It takes the reference; while others hold c, too,
// nobody may consume from it.
func (m *Message) AppendComposite(c *buffer.Composite) {
	n := c.Len()
	switch {
	case n == 0:
		c.Release()
	case m.n == 0:
		m.rope, m.shared = c, true
	default:
		m.own().AppendComposite(c)
	}
	m.n += n
	m.valid = false
}

// own returns the payload as a rope that nobody else appends to.
func (m *Message) own() *buffer.Composite {
	switch {
	case m.rope == nil:
		m.rope = buffer.NewComposite()
		m.rope.Append(m.data)
		m.data = nil
	case m.shared:
		rope := m.rope.View()
		m.rope.Release()
		m.rope, m.shared = rope, false
	}
	return m.rope
}

// AppendBytes adds a copy of p, in pooled memory, to the end of the payload.
func (m *Message) AppendBytes(p []byte) { m.AppendBuffer(buffer.FromBytes(p)) }

// AppendString adds a copy of s, in pooled memory, to the end of the payload.
func (m *Message) AppendString(s string) { m.AppendBuffer(buffer.FromString(s)) }

// moveParts gives the pieces of a message that gather has made to the caller, appended to dst, and releases the message.
func (m *Message) moveParts(dst []*buffer.Buffer) []*buffer.Buffer {
	if m.data != nil {
		dst = append(dst, m.data)
		m.data = nil
	}
	if m.rope != nil {
		m.rope.MoveTo(func(b *buffer.Buffer, _ []byte) { dst = append(dst, b) }) // parts are whole buffers
	}
	m.n = 0
	m.Release()
	return dst
}

// truncate keeps the first n octets of a message that gather has made.
func (m *Message) truncate(n int) {
	if m.rope != nil {
		front := m.rope.Split(n)
		m.rope.Release()
		m.rope = front
	} else if m.data != nil {
		m.data.Truncate(n)
	}
	m.n = n
}
