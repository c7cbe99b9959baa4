package broker

// ConsumerConfig says what a consumer wants. Deliver is required.
type ConsumerConfig struct {
	// Deliver gets each delivery, with locks held: it may only queue and post, and calls nothing of the broker. It may
	// run before Attach has returned, and on any goroutine, one call at a time.
	Deliver func(d *Delivery)
	// Credit is how many deliveries may come before Grant; 0 = none.
	Credit int
	// Policy is for a subscription of a topic that falls behind; PolicyDefault, the zero value, is
	// PolicyDisconnect here. Queues have Broker.Overflow.
	Policy Policy
	// MaxMessages and MaxBytes are the limits of a topic's subscription, unsettled deliveries included; 0 = the broker's.
	MaxMessages int
	MaxBytes    int64
	// Closed is called once, with locks held as Deliver is, when the broker ends the consumer: ErrSlow, ErrNoDestination
	// for a temporary destination that is closed, ErrClosed. No delivery comes after it. Those that are unsettled keep
	// their messages until they are settled, which then returns false, or until Consumer.Close, which has to be called in
	// any case. Nil = nobody is told.
	Closed func(err error)
	// Filter tells which messages the consumer gets; nil = all. Others stay in a queue for other consumers. It is called
	// with locks held, must not keep the message, and should be fast.
	Filter func(m *Message) bool
	// Copy leaves a queue's messages where they are: the consumer gets a copy of each, waiting or given out, from the
	// oldest on. Its deliveries have to be settled too, which does nothing to the message. Topics ignore it.
	Copy bool
	// Temporary proves that the consumer belongs to the owner of a temporary destination.
	Temporary *Temporary
}

// Consumer is one who gets messages of a destination. Its methods are safe for concurrent use.
type Consumer struct {
	broker *Broker
	name   string
	queue  *queue
	dest   *destination // nil: a wildcard subscription
	index  int          // in the topic's or queue's list; -1: not in it

	deliver func(*Delivery)
	ending  func(error)
	filter  func(*Message) bool // a queue's
	match   func(*Message) bool // a topic's: what does not match never enters the backlog
	copies  bool

	credit    int
	tag       uint64
	unsettled list
	counts    counts
	closed    bool // by its owner

	prevReady, nextReady *Consumer // the queue's ring; nil: not in it
	at                   *Delivery // Filter, Copy: the last message it looked at; nil: none
}

// Destination returns the name or pattern that the consumer was attached to.
func (c *Consumer) Destination() string { return c.name }

// Kind tells what the consumer was attached to; wildcards stand for topics.
func (c *Consumer) Kind() Kind {
	if c.dest == nil || c.dest.queue == nil {
		return KindTopic
	}
	return KindQueue
}

// Grant adds n to the credit. Deliveries that wait are delivered before it returns.
func (c *Consumer) Grant(n int) {
	if n <= 0 {
		return
	}
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	c.grant(n)
}

// Credit returns how many more deliveries may come.
func (c *Consumer) Credit() int {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	return c.credit
}

// Drain takes back the credit and returns how much was left. What was there for the consumer has been delivered before.
func (c *Consumer) Drain() int {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	n := c.credit
	c.credit = 0
	c.leaveReady()
	return n
}

const maxCredit = 1 << 30

// The rest expects the queue's lock to be held.

func (c *Consumer) grant(n int) {
	if c.closed || c.queue.ended {
		return
	}
	c.credit = min(c.credit+min(n, maxCredit), maxCredit)
	switch {
	case c.copies:
		c.browse()
	case c.nextReady != nil: // it has seen everything
	case c.filter != nil:
		c.search()
	default:
		for q := c.queue; c.credit > 0 && q.waiting.head != nil; {
			d := q.waiting.head
			q.waiting.remove(d)
			c.give(d)
		}
	}
	if c.credit > 0 && !c.copies {
		c.joinReady()
	}
}

// give delivers d, which is in no list but all.
func (c *Consumer) give(d *Delivery) {
	if c.credit--; c.credit == 0 && c.nextReady != nil {
		c.leaveReady()
	}
	c.tag++
	d.Consumer, d.Tag, d.Count, d.state = c, c.tag, d.failed+1, stateUnsettled
	c.unsettled.insert(c.unsettled.tail, d)
	c.counts.delivered++
	c.queue.counts.delivered++
	if d.Redelivered {
		c.counts.redelivered++
		c.queue.counts.redelivered++
	}
	c.deliver(d)
}

// joinReady puts c at the end of the ring.
func (c *Consumer) joinReady() {
	if c.nextReady != nil {
		return
	}
	q := c.queue
	if q.ready == nil {
		q.ready, c.prevReady, c.nextReady = c, c, c
		return
	}
	last := q.ready.prevReady
	c.prevReady, c.nextReady = last, q.ready
	last.nextReady, q.ready.prevReady = c, c
}

func (c *Consumer) leaveReady() {
	if c.nextReady == nil {
		return
	}
	q := c.queue
	if c.nextReady == c {
		q.ready = nil
	} else {
		if q.ready == c {
			q.ready = c.nextReady
		}
		c.prevReady.nextReady, c.nextReady.prevReady = c.nextReady, c.prevReady
	}
	c.prevReady, c.nextReady = nil, nil
	if c.filter != nil {
		c.at = q.tail // until now it has looked at everything that waits
	}
}
