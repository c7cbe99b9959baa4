package server

import (
	"sync"

	"github.com/penstock-go/penstock/handlers/broker"
)

// fifo is a list of deliveries by their Next.
type fifo struct {
	head, tail *broker.Delivery
	n          int
}

func (l *fifo) push(d *broker.Delivery) {
	d.Next = nil
	if l.tail == nil {
		l.head = d
	} else {
		l.tail.Next = d
	}
	l.tail = d
	l.n++
}

// pop returns nil when there is none.
func (l *fifo) pop() *broker.Delivery {
	d := l.head
	if d == nil {
		return nil
	}
	if l.head = d.Next; l.head == nil {
		l.tail = nil
	}
	d.Next = nil
	l.n--
	return d
}

// move appends all of o, which is empty afterwards.
func (l *fifo) move(o *fifo) {
	switch {
	case o.head == nil:
		return
	case l.tail == nil:
		*l = *o
	default:
		l.tail.Next = o.head
		l.tail = o.tail
		l.n += o.n
	}
	*o = fifo{}
}

// inbox is where the broker leaves deliveries, on any goroutine and with its locks held: they wait with their subscription,
// and the first one posts one call for all.
type inbox struct {
	mu          sync.Mutex
	first, last *subscription // those that have deliveries
	posted      bool
	collect     func() // Session.collect, made once
}

// inbound is the part of a subscription that the inbox's lock guards.
type inbound struct {
	list   fifo
	listed bool
	next   *subscription
}

// put leaves a delivery. Safe for concurrent use.
func (b *inbox) put(sub *subscription, d *broker.Delivery) {
	b.mu.Lock()
	sub.inbound.list.push(d)
	if !sub.inbound.listed {
		sub.inbound.listed = true
		if b.last == nil {
			b.first = sub
		} else {
			b.last.inbound.next = sub
		}
		b.last = sub
	}
	post := !b.posted
	b.posted = true
	if b.collect == nil {
		b.collect = sub.session.collect
	}
	collect := b.collect
	b.mu.Unlock()
	if post {
		sub.session.post(collect)
	}
}

// take moves what was left for one subscription to what waits there. Call it on the event loop only.
func (b *inbox) take(sub *subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sub.waiting.move(&sub.inbound.list)
}

// collect takes what the broker has left and writes it.
func (s *Session) collect() {
	s.inbox.mu.Lock()
	s.inbox.posted = false
	sub := s.inbox.first
	s.inbox.first, s.inbox.last = nil, nil
	for sub != nil {
		next := sub.inbound.next
		sub.inbound.next, sub.inbound.listed = nil, false
		sub.waiting.move(&sub.inbound.list)
		s.writers.add(sub)
		sub = next
	}
	s.inbox.mu.Unlock()
	s.deliver()
}
