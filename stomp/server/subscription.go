package server

import (
	"iter"
	"strconv"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/stomp"
)

// ackMode is who says that a message was processed. STOMP 1.2, "SUBSCRIBE ack Header".
type ackMode uint8

const (
	ackAuto       ackMode = iota // whoever wrote it
	ackClient                    // the client, for all up to this one
	ackIndividual                // the client, one by one
)

// String is the value of the ack header.
func (m ackMode) String() string { return [...]string{"auto", "client", "client-individual"}[m] }

// subscription is one SUBSCRIBE of one session. All but inbound belongs to the event loop.
type subscription struct {
	session     *Session
	key         string
	id          string // "" where 1.0 clients gave none
	destination string // as the client gave it
	serial      uint64
	prefix      string // of the ack header: the serial and a dash
	mode        ackMode
	consumer    *broker.Consumer

	inbound inbound          // given by the broker, on any goroutine
	waiting fifo             // for the socket
	sent    fifo             // auto: on their way to the kernel
	window  window           // other modes: what the client has
	writing *broker.Delivery // auto: on its way to sent
	written func(error)      // settles the oldest of sent
	highest uint64           // message given to the client so far
	tag     uint64           // delivery given to the client last
	stopped bool
	closed  bool
	queued  bool // among the session's writers
	next    *subscription
}

// stop takes no more deliveries. Of a queue, what is being written still counts as accepted when it was, and all else goes
// back. The subscription of a topic ends at once, as what comes for it would make publishers wait for a socket.
func (sub *subscription) stop() {
	if sub.stopped {
		return
	}
	sub.stopped = true
	if sub.sent.head == nil || sub.consumer.Kind() == broker.KindTopic {
		sub.close()
		return
	}
	sub.consumer.Drain()
	sub.session.inbox.take(sub)
	for d := sub.waiting.pop(); d != nil; d = sub.waiting.pop() {
		d.Release()
	}
}

// close gives back everything that is unsettled.
func (sub *subscription) close() {
	if sub.closed {
		return
	}
	sub.stopped, sub.closed = true, true
	sub.consumer.Close()
	sub.session.inbox.take(sub)
	sub.waiting, sub.sent, sub.writing, sub.window = fifo{}, fifo{}, nil, window{} // not to be touched any more
	sub.session.subs.forget(sub)
}

// write sends a message that counts as accepted when the kernel has it.
func (sub *subscription) write(d *broker.Delivery, m *stomp.Delivery) {
	ctx := sub.session.ctx
	sub.writing = d
	p := ctx.NewPromise()
	p.OnDone(sub.written)
	ctx.WriteWith(m, p)
	if d = sub.writing; d != nil {
		sub.writing = nil
		sub.sent.push(d)
	}
}

// wrote settles the oldest message of an auto subscription that was on its way to the kernel, or the one that the channel
// refuses right now while others are.
func (sub *subscription) wrote(err error) {
	d := sub.writing
	refused := d != nil && err != nil && sub.session.ctx.Channel().IsOpen()
	if refused || sub.sent.head == nil {
		sub.writing = nil
	} else {
		d = sub.sent.pop()
	}
	switch {
	case d == nil: // closed in the meantime
	case refused:
		sub.unencodable(d)
	case err != nil:
		d.Release() // the channel is going down
	case sub.stopped:
		d.Accept()
	default:
		d.AcceptAndGrant()
	}
	if sub.stopped && sub.sent.head == nil {
		sub.close()
	}
}

// unencodable gives up a message that the session's version has no way to say, or that the channel refuses.
func (sub *subscription) unencodable(d *broker.Delivery) {
	sub.session.counts.unencodable++
	d.Reject()
	if !sub.stopped {
		sub.consumer.Grant(1)
	}
}

// subscriptions are those of one session.
type subscriptions struct {
	byKey    map[string]*subscription
	bySerial map[string]*subscription // by prefix
	ending   map[*subscription]struct{}
	serial   uint64
}

func (l *subscriptions) add(sub *subscription) {
	if l.byKey == nil {
		l.byKey, l.bySerial = make(map[string]*subscription), make(map[string]*subscription)
	}
	l.byKey[sub.key], l.bySerial[sub.prefix] = sub, sub
}

// number gives sub its place among all that the session ever had.
func (l *subscriptions) number(sub *subscription) {
	l.serial++
	sub.serial = l.serial
	sub.prefix = strconv.FormatUint(l.serial, 10) + "-"
}

// end takes sub out; until it is closed it still counts among all.
func (l *subscriptions) end(sub *subscription) {
	delete(l.byKey, sub.key)
	delete(l.bySerial, sub.prefix)
	if l.ending == nil {
		l.ending = make(map[*subscription]struct{})
	}
	l.ending[sub] = struct{}{}
}

// forget is what a closed subscription calls.
func (l *subscriptions) forget(sub *subscription) {
	delete(l.ending, sub)
	if l.byKey[sub.key] == sub {
		delete(l.byKey, sub.key)
		delete(l.bySerial, sub.prefix)
	}
}

// all are those that are not closed; they may be closed on the way.
func (l *subscriptions) all() iter.Seq[*subscription] {
	return func(yield func(*subscription) bool) {
		for _, sub := range l.byKey {
			if !yield(sub) {
				return
			}
		}
		for sub := range l.ending {
			if !yield(sub) {
				return
			}
		}
	}
}

// explicit reports whether the client acknowledges anything itself.
func (l *subscriptions) explicit() bool {
	for _, sub := range l.byKey {
		if sub.mode != ackAuto {
			return true
		}
	}
	return false
}

// holdUp reports whether somebody, the client itself for one, publishes nothing until the client has acknowledged something.
func (l *subscriptions) holdUp() bool {
	for _, sub := range l.byKey {
		if sub.mode != ackAuto && sub.consumer.HoldsUp() {
			return true
		}
	}
	return false
}
