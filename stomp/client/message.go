package client

import (
	"strings"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/stomp"
)

// Message is a delivery. It is counted: a function that it is lent to may Retain it and give it to another goroutine,
// which releases it. Its texts and body are views of what was received, valid until the last Release: strings.Clone what
// is kept for longer. Settling needs a reference, too.
//
// Everything may be read, and the message settled, on any goroutine.
type Message struct {
	frame   *stomp.Frame
	conn    *conn
	sub     *Subscription // nil = of none
	extra   atomic.Int32  // references but the first
	seq     uint64        // number in its subscription, over one connection
	settled bool          // guarded by the client's mutex
}

var _ buffer.Counted = (*Message)(nil)

// Retain adds a reference; it needs a Release of its own. Safe for concurrent use.
func (m *Message) Retain() {
	if m.extra.Add(1) <= 0 {
		panic("stomp/client: message retained after its release") //nolint:forbidigo // misuse by the program
	}
}

// Release drops a reference; the last one makes the message invalid. One too many panics. It settles nothing. Safe for
// concurrent use.
func (m *Message) Release() {
	switch left := m.extra.Add(-1); {
	case left == -1:
		m.frame.Release()
		m.frame = nil
	case left < -1:
		panic("stomp/client: message released twice") //nolint:forbidigo // misuse by the program
	}
}

// Destination returns the destination header.
func (m *Message) Destination() string { return m.Header(stomp.HeaderDestination) }

// ID returns the message-id header.
func (m *Message) ID() string { return m.Header(stomp.HeaderMessageID) }

// Header returns the value of a header, "" when there is none.
func (m *Message) Header(name string) string { return m.frame.Headers.Get(name) }

// Headers returns all headers, in wire order. They are read-only.
func (m *Message) Headers() stomp.Headers { return m.frame.Headers }

// Body returns the body. It is read-only.
func (m *Message) Body() *stomp.Body { return &m.frame.Body }

// Frame returns the MESSAGE frame, lent until the message is released, and read-only.
func (m *Message) Frame() *stomp.Frame { return m.frame }

// Subscription returns what the message came for, nil when that is unknown.
func (m *Message) Subscription() *Subscription { return m.sub }

// Ack tells the server that the message has been processed; with AckClient all before it have, too. It does not wait for
// the frame to be sent. For AckAuto and messages of no subscription there is nothing to tell, and it returns nil. ErrStale:
// the connection is gone, and the server delivers the message again. ErrSettled, ErrClosed. Safe for concurrent use.
func (m *Message) Ack() error { return m.settle(stomp.CommandAck, nil) }

// Nack tells the server that the message was not processed; with AckClient neither were those before it. What the server
// does then is its own affair: deliver them again, to whomever, or drop them. ErrVersion: 1.0 does not have it; the others
// as for Ack. Safe for concurrent use.
func (m *Message) Nack() error { return m.settle(stomp.CommandNack, nil) }

// settle sends an ACK or NACK frame, in t unless that is nil.
func (m *Message) settle(command stomp.Command, t *Transaction) error {
	if m.sub == nil || m.sub.Ack == AckAuto {
		return nil
	}
	c := m.conn.client
	c.mu.Lock()
	defer c.mu.Unlock()
	err := t.check()
	switch {
	case err != nil:
		return err
	case m.conn.gone != nil, t != nil && t.conn != m.conn:
		return ErrStale
	case m.settled, m.sub.Ack == AckClient && m.seq <= m.sub.through:
		return ErrSettled
	case command == stomp.CommandNack && m.conn.version == stomp.Version10:
		return ErrVersion
	}
	f := m.answer(command)
	if t != nil {
		f.Headers.Add(stomp.HeaderTransaction, t.id)
	}
	r := newRequest(f, nil)
	r.vital = true
	if err = c.submit(r, false); err != nil {
		return err
	}
	t.note(m)
	m.settled = true
	if m.sub.Ack == AckClient {
		m.sub.through = m.seq
	}
	return nil
}

// answer makes an ACK or NACK frame: 1.0 names the message, 1.1 the subscription as well, and 1.2 what the ack header of
// the message says. STOMP 1.0, 1.1, 1.2, "ACK". Its texts outlive the message.
func (m *Message) answer(command stomp.Command) *stomp.Frame {
	f := stomp.NewFrame(command)
	id := strings.Clone(m.ID())
	switch m.conn.version {
	case stomp.Version10:
		f.Headers.Add(stomp.HeaderMessageID, id)
	case stomp.Version11:
		f.Headers.Add(stomp.HeaderMessageID, id)
		f.Headers.Add(stomp.HeaderSubscription, m.sub.id)
	default:
		if ack, ok := m.frame.Headers.Lookup(stomp.HeaderAck); ok {
			id = strings.Clone(ack)
		}
		f.Headers.Add(stomp.HeaderID, id)
	}
	return f
}

// message takes a MESSAGE frame.
func (n *conn) message(ctx *pipeline.Context, f *stomp.Frame) {
	c := n.client
	m := &Message{frame: f, conn: n}
	defer m.Release()
	c.mu.Lock()
	m.sub = c.find(n, f)
	handle := c.OnMessage
	if m.sub != nil {
		m.sub.delivered++
		m.seq = m.sub.delivered
		handle = m.sub.Handle
	}
	if handle == nil {
		c.stats.UnknownMessages++
	}
	c.mu.Unlock()
	if handle != nil {
		handle(ctx, m)
	}
}

// find returns the subscription that f is for. A server that speaks 1.0 may leave its name out. The client is locked.
func (c *Client) find(n *conn, f *stomp.Frame) *Subscription {
	id, ok := f.Headers.Lookup(stomp.HeaderSubscription)
	if ok || n.version != stomp.Version10 {
		return c.byID[id]
	}
	destination := f.Headers.Get(stomp.HeaderDestination)
	for _, sub := range c.subs {
		if sub.Destination == destination {
			return sub
		}
	}
	return nil
}
