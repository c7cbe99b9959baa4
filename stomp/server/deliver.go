package server

import (
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/stomp"
)

// writers are the subscriptions that have something to write, in turn.
type writers struct{ head, tail *subscription }

// add puts sub behind the others, unless it is there or has nothing.
func (w *writers) add(sub *subscription) {
	if sub.queued || sub.stopped || sub.waiting.head == nil {
		return
	}
	sub.queued = true
	if w.tail == nil {
		w.head = sub
	} else {
		w.tail.next = sub
	}
	w.tail = sub
}

func (w *writers) pop() *subscription {
	sub := w.head
	if w.head = sub.next; w.head == nil {
		w.tail = nil
	}
	sub.next, sub.queued = nil, false
	return sub
}

// turn is how many messages a subscription writes before it is another's turn.
const turn = 16

// deliver writes what waits for as long as the socket takes it; HandleWritability goes on.
func (s *Session) deliver() {
	ch := s.ctx.Channel()
	for s.phase == phaseOpen && s.writers.head != nil && ch.Writable() {
		sub := s.writers.pop()
		for i := 0; i < turn && !sub.stopped && ch.Writable(); i++ {
			d := sub.waiting.pop()
			if d == nil {
				break
			}
			s.writeMessage(sub, d)
		}
		s.writers.add(sub)
	}
}

// writeMessage sends one MESSAGE. STOMP 1.2, "MESSAGE".
func (s *Session) writeMessage(sub *subscription, d *broker.Delivery) {
	v := s.state.Version
	form, err := d.Message.Form(tailKey(v), tailOf(v))
	tail, ok := form.(*stomp.Tail)
	if err != nil || !ok {
		sub.unencodable(d)
		return
	}
	m := stomp.NewDelivery(tail)
	m.Subscription = sub.id
	m.MessageID = stomp.ID{Number: d.Message.ID()}
	m.Redelivered = d.Redelivered
	sub.tag, sub.highest = d.Tag, max(sub.highest, d.Message.ID())
	s.counts.messages++
	if sub.mode == ackAuto {
		sub.write(d, m)
		return
	}
	if v == stomp.Version12 {
		m.Ack = stomp.ID{Text: sub.prefix, Number: d.Tag}
	}
	sub.window.push(d)
	if err := s.ctx.Write(m); err != nil && s.ctx.Channel().IsOpen() {
		sub.window.remove(sub.window.len() - 1)
		sub.unencodable(d)
	}
}

// tailKey keeps the forms of this package apart from others'.
type tailKey stomp.Version

// tailOf returns what encodes a message for a version.
func tailOf(v stomp.Version) func(*broker.Message) (buffer.Counted, error) {
	switch {
	case v >= stomp.Version12:
		return tail12
	case v == stomp.Version11:
		return tail11
	}
	return tail10
}

func tail12(m *broker.Message) (buffer.Counted, error) { return encodeTail(stomp.Version12, m) }
func tail11(m *broker.Message) (buffer.Counted, error) { return encodeTail(stomp.Version11, m) }
func tail10(m *broker.Message) (buffer.Counted, error) { return encodeTail(stomp.Version10, m) }

// encodeTail encodes what all deliveries of m have in common.
func encodeTail(v stomp.Version, m *broker.Message) (buffer.Counted, error) {
	f := stomp.NewFrame(stomp.CommandMessage, stomp.HeaderDestination, m.Destination)
	defer f.Release()
	for i := range m.Properties {
		switch h := m.Properties[i]; h.Name {
		case stomp.HeaderDestination, stomp.HeaderContentLength: // of another protocol's publisher
		default:
			f.Headers.Add(h.Name, h.Value)
		}
	}
	for i := range m.Parts() {
		p := m.Part(i)
		p.Retain()
		f.Body.Append(p)
	}
	t, err := stomp.NewTail(v, f.Headers, &f.Body)
	if err != nil {
		return nil, err
	}
	return t, nil
}
