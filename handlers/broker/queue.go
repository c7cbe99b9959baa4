package broker

import (
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// queue is one backlog and the consumers that share it: all of a queue destination, or one subscription of a topic.
// Methods expect mu to be held unless they say otherwise.
//
// Every message in it is a Delivery in the list all, by seq: in the order of arrival. Those that wait are in the list
// waiting too, those given out in their consumer's list unsettled. A message that comes back finds its place in waiting
// from its neighbours in all.
type queue struct {
	mu     sync.Mutex
	broker *Broker
	dest   *destination // nil: a topic's subscription

	head, tail *Delivery // all
	waiting    list
	held       int   // messages in all
	bytes      int64 // theirs
	counted    int   // places for them that the broker's storage knows of
	seq        uint64

	consumers members
	ready     *Consumer   // ring of those with credit; the first is next
	selective []*Consumer // those with Filter or Copy

	bounds  bounds
	policy  Policy
	full    atomic.Bool   // publishing fails; written under mu
	blocked *atomic.Int32 // how many subscriptions of the topic are full; nil: nobody counts
	pauses  []*Pause      // to be resumed at the low mark
	pins    int           // transactions that are about to publish

	free      *Delivery // by Next
	freeCount int
	counts    counts
	ended     bool // gives out nothing any more
}

const maxFree = 8 // deliveries that a queue keeps for itself: a bounded cost of idle subscriptions

// deliveries keeps those that are beyond maxFree.
var deliveries = sync.Pool{New: func() any { return new(Delivery) }}

// get returns a delivery of q that is in no list.
func (q *queue) get() *Delivery {
	d := q.free
	if d == nil {
		d = deliveries.Get().(*Delivery)
		d.queue = q
		return d
	}
	q.free, d.Next = d.Next, nil
	q.freeCount--
	return d
}

// put makes d ready for reuse. It is in no list and holds no message.
func (q *queue) put(d *Delivery) {
	d.Message, d.Consumer, d.Next, d.prev, d.next = nil, nil, nil, nil, nil
	d.Tag, d.Count, d.Redelivered = 0, 0, false
	d.failed, d.state, d.copied = 0, stateFree, false
	if buffer.Debug { // there it is never used again, so that settling twice always finds it settled
		return
	}
	if q.freeCount >= maxFree {
		d.queue = nil
		deliveries.Put(d)
		return
	}
	d.Next, q.free = q.free, d
	q.freeCount++
}

// arrive takes one reference of m and gives the message to a consumer or lets it wait.
func (q *queue) arrive(m *Message) {
	d := q.get()
	q.seq++
	d.Message, d.size, d.seq = m, int64(m.size), q.seq
	d.prev = q.tail
	if q.tail == nil {
		q.head = d
	} else {
		q.tail.next = d
	}
	q.tail = d
	q.held++
	q.bytes += d.size
	q.places()
	q.offer(d)
	for _, c := range q.selective {
		if c.copies {
			c.browse()
		}
	}
}

// offer gives d, which is in all only, to the next consumer that wants it, or puts it into its place in waiting.
func (q *queue) offer(d *Delivery) {
	first := q.ready
	for c := first; c != nil; {
		if c.filter == nil || c.filter(d.Message) {
			q.ready = c.nextReady
			c.give(d)
			return
		}
		if c = c.nextReady; c == first {
			break
		}
	}
	q.wait(d)
}

// wait puts d into its place in waiting: mostly an end, else found in both directions from its place in all.
func (q *queue) wait(d *Delivery) {
	d.state = stateWaiting
	switch head, tail := q.waiting.head, q.waiting.tail; {
	case head == nil, d.seq < head.seq:
		q.waiting.insert(nil, d)
		return
	case d.seq > tail.seq:
		q.waiting.insert(tail, d)
		return
	}
	before, after := d.prev, d.next // something waits on either side
	for {
		switch {
		case before.state == stateWaiting:
			q.waiting.insert(before, d)
			return
		case after.state == stateWaiting:
			q.waiting.insert(after.before, d)
			return
		}
		before, after = before.prev, after.next
	}
}

// comeBack offers d again, which its consumer no longer has.
func (q *queue) comeBack(d *Delivery) {
	d.Consumer, d.Next = nil, nil
	for _, c := range q.selective {
		c.lookAgain(d)
	}
	q.offer(d)
}

// remove takes d, which is in no other list, out of all.
func (q *queue) remove(d *Delivery) {
	for _, c := range q.selective {
		if c.at == d {
			c.at = d.prev
		}
	}
	if d.prev == nil {
		q.head = d.next
	} else {
		d.prev.next = d.next
	}
	if d.next == nil {
		q.tail = d.prev
	} else {
		d.next.prev = d.prev
	}
	d.prev, d.next = nil, nil
	q.held--
	q.bytes -= d.size
	q.places()
}

// settle ends an unsettled or held delivery. The caller hands the result to finish.
func (q *queue) settle(d *Delivery, how outcome) (rest remains) {
	c := d.Consumer
	c.unsettled.remove(d)
	rest.message = d.Message
	if d.copied || q.ended {
		if how == accepted && !q.ended {
			c.counts.acknowledged++
			q.counts.acknowledged++
		}
		q.put(d)
		return rest
	}
	if how == retried {
		if d.failed++; d.failed >= q.broker.maxDeliveries() {
			how = rejected
		}
	}
	switch how {
	case withdrawn, released, retried:
		again := d.Redelivered || how != withdrawn
		if c.closed {
			d = q.replace(d)
		}
		d.Redelivered = again
		q.comeBack(d)
		return remains{}
	case accepted:
		c.counts.acknowledged++
		q.counts.acknowledged++
	case rejected:
		rest.dead = true
		c.counts.dropped++
		q.counts.dead++
	}
	q.remove(d)
	q.put(d)
	q.relax()
	rest.unused = q.unused()
	return rest
}

// finish does what settle left to be done. It expects no lock to be held.
func (q *queue) finish(rest remains) {
	if m := rest.message; m != nil {
		if rest.dead && q.broker.Dead != nil {
			q.broker.Dead(m)
		}
		m.Release()
	}
	if rest.unused {
		q.broker.forget(q.dest)
	}
}

// replace puts another delivery into the place of d, in all only, and leaves d to a receiver that may still hold it.
func (q *queue) replace(d *Delivery) *Delivery {
	n := q.get()
	n.Message, n.seq, n.size, n.failed = d.Message, d.seq, d.size, d.failed
	n.prev, n.next = d.prev, d.next
	if n.prev == nil {
		q.head = n
	} else {
		n.prev.next = n
	}
	if n.next == nil {
		q.tail = n
	} else {
		n.next.prev = n
	}
	for _, c := range q.selective {
		if c.at == d {
			c.at = n
		}
	}
	d.prev, d.next = nil, nil
	d.Message, d.state = nil, stateGone
	return n
}

// trim drops waiting messages, oldest first, until the rest is within the limits.
func (q *queue) trim() {
	for q.waiting.head != nil && q.bounds.passed(q.held, q.bytes) {
		d := q.waiting.head
		q.waiting.remove(d)
		q.drop(d)
	}
}

// drop ends a message that nobody has.
func (q *queue) drop(d *Delivery) {
	m := d.Message
	q.counts.dropped++
	q.remove(d)
	q.put(d)
	m.Release()
}

// over notes that a backlog has grown and reports whether publishers should pause.
func (q *queue) over() bool {
	if q.policy != PolicyPause {
		return false
	}
	if q.bounds.reached(q.held, q.bytes) {
		q.setFull(true)
	}
	return q.bounds.high(q.held, q.bytes)
}

// relax notes that a backlog has shrunk.
func (q *queue) relax() {
	if q.full.Load() && !q.bounds.reached(q.held, q.bytes) {
		q.setFull(false)
	}
	if len(q.pauses) > 0 && q.bounds.low(q.held, q.bytes) {
		q.resume()
	}
}

func (q *queue) setFull(full bool) {
	if q.full.Load() == full {
		return
	}
	q.full.Store(full)
	if q.blocked == nil {
		return
	}
	if full {
		q.blocked.Add(1)
	} else {
		q.blocked.Add(-1)
	}
}

// resume calls every publisher that waits.
func (q *queue) resume() {
	pauses := q.pauses
	q.pauses = nil
	for _, p := range pauses {
		p.resumed()
	}
}

// end drops everything and lets everybody go. The messages of what consumers have not settled stay with them.
func (q *queue) end() {
	for d := q.waiting.head; d != nil; d = q.waiting.head {
		q.waiting.remove(d)
		q.drop(d)
	}
	q.counts.dropped += uint64(q.held)
	q.ended = true
	q.head, q.tail, q.held, q.bytes = nil, nil, 0, 0
	q.places()
	q.setFull(false)
	q.resume()
}

// unused reports that q belongs to a destination that nothing holds any more. The caller then forgets the destination after
// it has released mu.
func (q *queue) unused() bool {
	d := q.dest
	if d == nil || d.dead || d.temporary != nil || len(q.consumers) > 0 || q.head != nil || q.pins > 0 {
		return false
	}
	d.dead = true
	return true
}
