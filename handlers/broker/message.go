package broker

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Property is a named value of a message: a header, an application property.
type Property struct{ Name, Value string }

// Message is what is published: a destination, ordered properties whose names may repeat, and a body by reference. It is
// counted like a buffer: whoever receives it owns one reference and passes it on, keeps it, or releases it, exactly once.
// It is built by one goroutine; once it is published nobody changes it, and any number of goroutines may read it while they
// hold a reference. Its strings and parts are valid until it is released; strings.Clone keeps a string longer.
type Message struct {
	Destination string     // where to
	Properties  []Property // in order

	first buffer.Slice
	more  []buffer.Slice
	body  int // bytes of the parts

	id    uint64
	size  int     // what it counts in limits; set by seal
	home  *Broker // where it counts; set by seal
	refs  atomic.Int32
	text  text
	forms forms
}

var _ buffer.Counted = (*Message)(nil)

// messages keeps released messages with their lists.
var messages = sync.Pool{New: func() any { return new(Message) }}

// NewMessage returns a pooled message with a copy of the destination's name and one reference. Safe for concurrent use.
// The caller must publish the message, release it, or pass it on.
func NewMessage(destination string) *Message {
	m := messages.Get().(*Message)
	m.refs.Store(1)
	m.Destination = m.text.keep(destination)
	return m
}

// AppendProperty adds a property with copies of both strings.
func (m *Message) AppendProperty(name, value string) {
	m.Properties = append(m.Properties, Property{Name: m.text.keep(name), Value: m.text.keep(value)})
}

// Property returns the value of the first property with that name, or "".
func (m *Message) Property(name string) string {
	value, _ := m.LookupProperty(name)
	return value
}

// LookupProperty returns the value of the first property with that name and whether there is one.
func (m *Message) LookupProperty(name string) (value string, ok bool) {
	for i := range m.Properties {
		if m.Properties[i].Name == name {
			return m.Properties[i].Value, true
		}
	}
	return "", false
}

// AppendSlice adds s to the body by reference. It takes the reference, and with it keeps the whole buffer behind s alive as
// long as the message waits: use it for slices that fill their buffer, else AppendCompact.
func (m *Message) AppendSlice(s buffer.Slice) {
	switch {
	case s.Len() == 0:
		s.Release()
		return
	case m.body == 0:
		m.first = s
	default:
		m.more = append(m.more, s)
	}
	m.body += s.Len()
}

// AppendCompact is AppendSlice, but copies s when it fills less than half of the buffer that it would keep alive. So a
// message holds at most about twice the bytes that it counts. It takes the reference.
func (m *Message) AppendCompact(s buffer.Slice) {
	if 2*s.Len() >= s.Pinned() {
		m.AppendSlice(s)
		return
	}
	m.AppendBytes(s.Bytes())
	s.Release()
}

// AppendBytes adds a copy of p, in pooled memory, to the body.
func (m *Message) AppendBytes(p []byte) {
	if len(p) > 0 {
		m.appendBuffer(buffer.FromBytes(p))
	}
}

// AppendString adds a copy of s, in pooled memory, to the body.
func (m *Message) AppendString(s string) {
	if s != "" {
		m.appendBuffer(buffer.FromString(s))
	}
}

func (m *Message) appendBuffer(b *buffer.Buffer) {
	s := b.Slice(0, b.Len())
	b.Release()
	m.AppendSlice(s)
}

// Len returns the bytes of the body.
func (m *Message) Len() int { return m.body }

// Size returns what the message counts in limits: the bytes of its body, its destination and its properties. Forms, which
// exist from the first delivery on, do not count.
func (m *Message) Size() int {
	if m.id != 0 {
		return m.size
	}
	n := m.body + len(m.Destination)
	for i := range m.Properties {
		n += len(m.Properties[i].Name) + len(m.Properties[i].Value)
	}
	return n
}

// Parts returns how many pieces the body lies in: 0 when it is empty.
func (m *Message) Parts() int {
	if m.first.Len() == 0 {
		return 0
	}
	return 1 + len(m.more)
}

// Part returns piece i of the body, 0 <= i < Parts. It is lent: whoever keeps it beyond the message retains it.
func (m *Message) Part(i int) buffer.Slice {
	if i == 0 {
		return m.first
	}
	return m.more[i-1]
}

// AppendTo appends a copy of the whole body to dst and returns the extended slice.
func (m *Message) AppendTo(dst []byte) []byte {
	for i := range m.Parts() {
		dst = append(dst, m.Part(i).Bytes()...)
	}
	return dst
}

// Text returns a copy of the whole body.
func (m *Message) Text() string {
	if m.Parts() <= 1 {
		return string(m.first.Bytes())
	}
	return string(m.AppendTo(make([]byte, 0, m.body)))
}

// ID returns the number that Publish gave the message, or 0 before: unique in the broker and rising in the order in which
// messages entered it.
func (m *Message) ID() uint64 { return m.id }

// Clone returns an unpublished message for another destination with the same properties and the same body by reference. The
// caller must publish the clone, release it, or pass it on.
func (m *Message) Clone(destination string) *Message {
	c := NewMessage(destination)
	for i := range m.Properties {
		c.AppendProperty(m.Properties[i].Name, m.Properties[i].Value)
	}
	for i := range m.Parts() {
		s := m.Part(i)
		s.Retain()
		c.AppendSlice(s)
	}
	return c
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (m *Message) Retain() { m.retain(1) }

func (m *Message) retain(n int) {
	if m.refs.Add(int32(n)) <= int32(n) {
		panic("broker: message retained after its release") //nolint:forbidigo // misuse by the program
	}
}

// Release drops one reference. The last one releases the body and the forms; one too many panics. Safe for concurrent use.
func (m *Message) Release() { m.release(1) }

func (m *Message) release(n int) {
	left := m.refs.Add(int32(-n))
	if left > 0 {
		return
	}
	if left < 0 {
		panic("broker: message released twice") //nolint:forbidigo // misuse by the program
	}
	if m.home != nil {
		m.home.stored.removeMessage(m)
		m.home = nil
	}
	m.forms.reset()
	m.first.Release()
	for _, s := range m.more {
		s.Release()
	}
	clear(m.more)
	clear(m.Properties)
	m.first, m.more, m.body, m.id, m.size = buffer.Slice{}, m.more[:0], 0, 0, 0
	m.Destination, m.Properties = "", m.Properties[:0]
	if cap(m.more) > maxParts {
		m.more = nil
	}
	if cap(m.Properties) > maxParts {
		m.Properties = nil
	}
	m.text.reset()
	if !buffer.Debug { // there it is never used again, so that every late use meets a dead message
		messages.Put(m)
	}
}

// seal makes m one of b's messages; from now on nobody changes it.
func (m *Message) seal(b *Broker) {
	m.size = m.Size()
	m.home = b
	b.stored.addMessage(m)
	m.id = b.ids.Add(1)
}

// String describes m for logs: names and sizes, never the body.
func (m *Message) String() string {
	return fmt.Sprintf("message %d for %.64q (%d properties, %d B)", m.id, m.Destination, len(m.Properties), m.body)
}
