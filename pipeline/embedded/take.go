package embedded

import (
	"fmt"
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// ReadInbound takes the oldest message that reached the tail unread, nil when there is none. It belongs to the caller.
func (c *Channel) ReadInbound() any {
	if c.in.len() == 0 {
		return nil
	}
	return c.in.pop()
}

// ReadOutbound takes the next thing that left the pipeline, in the order of writing: a message that reached the head and
// is not bytes, or the wire bytes in front of it as one *buffer.Buffer (writes are coalesced, so it may hold several).
// nil = nothing. The caller must Release the result if it is Counted.
func (c *Channel) ReadOutbound() any {
	if n := c.bytesNext(); n > 0 {
		b := c.loop.Pool().Get(n)
		b.Append(c.Socket.takeWire(n))
		return b
	}
	if c.out.len() == 0 {
		return nil
	}
	return c.out.pop().msg
}

// bytesNext is the number of wire bytes in front of the next outbound message.
func (c *Channel) bytesNext() int {
	n := c.Socket.Untaken()
	if c.out.len() > 0 {
		start := uint64(c.Socket.written - n)
		if at := c.out.peek().at; at < start+uint64(n) {
			n = int(max(at, start) - start)
		}
	}
	return n
}

// Events takes the user events that reached the tail, oldest first. They belong to the caller.
func (c *Channel) Events() []any {
	events := c.events
	c.events = nil
	return events
}

// In takes the oldest message that reached the tail unread, which must be a T. Otherwise it stays there and the error is
// a *TypeError, or ErrEmpty when there is none. The message belongs to the caller.
func In[T any](c *Channel) (T, error) {
	var none T
	if c.in.len() == 0 {
		return none, fmt.Errorf("inbound, want %s: %w", reflect.TypeFor[T](), ErrEmpty)
	}
	m, ok := c.in.peek().(T)
	if !ok {
		return none, mismatch[T]("inbound", c.in.peek())
	}
	c.in.pop()
	return m, nil
}

// Out is In for what ReadOutbound would take; wire bytes are a *buffer.Buffer.
func Out[T any](c *Channel) (T, error) {
	var none T
	if c.bytesNext() > 0 {
		if _, ok := any((*buffer.Buffer)(nil)).(T); !ok {
			return none, mismatch[T]("outbound", (*buffer.Buffer)(nil))
		}
		m, _ := c.ReadOutbound().(T)
		return m, nil
	}
	if c.out.len() == 0 {
		return none, fmt.Errorf("outbound, want %s: %w", reflect.TypeFor[T](), ErrEmpty)
	}
	m, ok := c.out.peek().msg.(T)
	if !ok {
		return none, mismatch[T]("outbound", c.out.peek().msg)
	}
	c.out.pop()
	return m, nil
}

func mismatch[T any](queue string, got any) error {
	return &TypeError{Queue: queue, Want: reflect.TypeFor[T](), Got: reflect.TypeOf(got)}
}
