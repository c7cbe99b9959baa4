package broker

// Delivery is one message given to one consumer. Whoever received it settles it exactly once, by Accept, Release, Withdraw,
// Retry, Reject or in a transaction, from any goroutine; after that the delivery and its message must not be touched, they may be
// in use again. Settling one that went away with its consumer does nothing and returns false. The exported fields are
// read-only, except Next. One goroutine at a time has it: its methods are safe beside all others of the broker, not beside
// one another.
type Delivery struct {
	Message     *Message  // lent until the delivery is settled or the consumer is closed
	Consumer    *Consumer // who got it
	Tag         uint64    // rising by one from 1 in the order in which the consumer gets deliveries
	Count       int       // which try this is, from 1; a release does not count as one
	Redelivered bool      // it has been given out before
	Next        *Delivery // free for the receiver's list

	queue  *queue
	seq    uint64 // its place in the queue
	failed int    // tries that ended in Retry
	size   int64
	state  state
	copied bool // for a consumer with Copy: the message stays where it is

	prev, next    *Delivery // everything in the queue, by seq
	before, after *Delivery // what waits in the queue by seq, or what its consumer has not settled by tag
}

// state is where a delivery is; its queue's lock guards it.
type state uint8

const (
	stateFree      state = iota // nowhere, ready for use
	stateWaiting                // in the queue
	stateUnsettled              // with its consumer
	stateHeld                   // part of a transaction
	stateGone                   // its consumer closed while the receiver may still hold it
)

// outcome is how a delivery is settled.
type outcome uint8

const (
	accepted outcome = iota
	withdrawn
	released
	retried
	rejected
)

// Accept says that the message has been processed. Like all ways to settle it reports whether the delivery was unsettled.
// Safe for concurrent use.
func (d *Delivery) Accept() bool { return d.settle(accepted, 0) }

// AcceptAndGrant is Accept followed by Consumer.Grant(1) in one step. Safe for concurrent use.
func (d *Delivery) AcceptAndGrant() bool { return d.settle(accepted, 1) }

// Release gives the message back unprocessed. It returns to its place and comes again with Redelivered set; Count stays.
// Safe for concurrent use.
func (d *Delivery) Release() bool { return d.settle(released, 0) }

// Withdraw is Release for a delivery that nobody has seen yet, because it was still queued on its way to the peer: Redelivered
// stays as it is. Safe for concurrent use.
func (d *Delivery) Withdraw() bool { return d.settle(withdrawn, 0) }

// Retry says that processing failed. The message returns to its place and comes again with Redelivered set and Count one
// higher, unless MaxDeliveries tries have been made: then it is dead. Safe for concurrent use.
func (d *Delivery) Retry() bool { return d.settle(retried, 0) }

// Reject says that the message can't be processed: it is dead. Safe for concurrent use.
func (d *Delivery) Reject() bool { return d.settle(rejected, 0) }

func (d *Delivery) settle(how outcome, grant int) bool {
	q := d.queue
	if q == nil {
		return false
	}
	rest, live := d.settleLocked(q, how, grant)
	q.finish(rest)
	return live
}

// settleLocked takes the lock, and gives it back also when a consumer's function panics.
func (d *Delivery) settleLocked(q *queue, how outcome, grant int) (rest remains, live bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if d.state != stateUnsettled {
		return remains{}, false
	}
	c, live := d.Consumer, !q.ended
	rest = q.settle(d, how)
	if grant > 0 {
		c.grant(grant)
	}
	return rest, live
}

// remains is what is left to be done, without locks, when a delivery is settled.
type remains struct {
	message *Message // its reference has to be dropped
	dead    bool     // the message is dead
	unused  bool     // the destination is to be forgotten
}

// list is a list of deliveries by the links before and after.
type list struct {
	head, tail *Delivery
	n          int
	bytes      int64
}

// insert puts d behind at, or in front of all when at is nil.
func (l *list) insert(at, d *Delivery) {
	d.before = at
	if at == nil {
		d.after, l.head = l.head, d
	} else {
		d.after, at.after = at.after, d
	}
	if d.after == nil {
		l.tail = d
	} else {
		d.after.before = d
	}
	l.n++
	l.bytes += d.size
}

func (l *list) remove(d *Delivery) {
	if d.before == nil {
		l.head = d.after
	} else {
		d.before.after = d.after
	}
	if d.after == nil {
		l.tail = d.before
	} else {
		d.after.before = d.before
	}
	d.before, d.after = nil, nil
	l.n--
	l.bytes -= d.size
}
