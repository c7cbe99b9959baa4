package broker

import "strings"

// Attach makes a consumer of a destination: of a queue, which it shares with others, or with a subscription of its own to a
// topic. Messages that wait in a queue are delivered before Attach returns, as far as the credit reaches.
//
// The name of a topic may have wildcards: the segment * stands for any one segment, and at the end # for any number of
// segments, none included, > for one or more. Segments begin at '/' and '.', and the separator in front of a wildcard has
// to be the message's, too: /topic/a.* matches /topic/a.b, not /topic/a/b. # alone matches every topic. Wildcards do not find
// temporary destinations.
//
// Errors: ErrName, ErrNoDestination and ErrNotOwner for temporary destinations, ErrTooManyDestinations,
// ErrTooManyConsumers, ErrClosed.
// The caller must Close the consumer.
func (b *Broker) Attach(destination string, cfg ConsumerConfig) (*Consumer, error) {
	if b.closed.Load() {
		return nil, ErrClosed
	}
	if err := checkName(destination); err != nil {
		return nil, err
	}
	if b.consumers.Add(1) > int64(or(b.MaxConsumers, DefaultMaxConsumers)) {
		b.consumers.Add(-1)
		return nil, ErrTooManyConsumers
	}
	c, err := b.attach(destination, cfg)
	if err != nil {
		b.consumers.Add(-1)
		return nil, err
	}
	return c, nil
}

func (b *Broker) attach(destination string, cfg ConsumerConfig) (*Consumer, error) {
	c := &Consumer{
		broker: b, index: -1, deliver: cfg.Deliver, ending: cfg.Closed, credit: max(0, min(cfg.Credit, maxCredit)),
	}
	if isTemporary(destination) || cfg.Temporary != nil {
		return b.join(c, destination, cfg)
	}
	if b.kind(destination) == KindTopic {
		wild, err := isPattern(destination)
		if err != nil {
			return nil, err
		}
		if wild {
			return b.attachPattern(c, strings.Clone(destination), cfg)
		}
	}
	return b.join(c, destination, cfg)
}

func checkName(name string) error {
	if name == "" || len(name) > MaxNameBytes {
		return ErrName
	}
	return nil
}

func (b *Broker) join(c *Consumer, name string, cfg ConsumerConfig) (*Consumer, error) {
	for {
		d := b.registry.find(name)
		if d == nil {
			if isTemporary(name) {
				return nil, ErrNoDestination
			}
			if cfg.Temporary != nil {
				return nil, ErrNotOwner
			}
			var err error
			if d, err = b.open(name, b.kind(name), nil); err != nil {
				return nil, err
			}
		}
		if d.temporary != cfg.Temporary {
			return nil, ErrNotOwner
		}
		c.name = d.name
		if d.add(c, cfg) {
			return c, nil
		}
		b.forget(d)
	}
}

// add makes c a consumer of d and reports false when d is dead.
func (d *destination) add(c *Consumer, cfg ConsumerConfig) bool {
	mu := d.lock()
	mu.Lock()
	defer mu.Unlock()
	if d.dead {
		return false
	}
	c.dest = d
	if d.queue == nil {
		c.subscribe(cfg)
		c.queue.blocked = &d.blocked
		d.subscriptions.add(c)
		return true
	}
	q := d.queue
	c.queue, c.filter, c.copies = q, cfg.Filter, cfg.Copy
	q.consumers.add(c)
	if c.filter != nil || c.copies {
		q.selective = append(q.selective, c)
	}
	if n := c.credit; n > 0 {
		c.credit = 0
		c.grant(n)
	}
	return true
}

// subscribe gives c a backlog of its own.
func (c *Consumer) subscribe(cfg ConsumerConfig) {
	c.match = cfg.Filter
	c.queue = &queue{
		broker: c.broker, bounds: c.broker.bounds(cfg.MaxMessages, cfg.MaxBytes), policy: cfg.Policy.or(PolicyDisconnect),
	}
	if c.credit > 0 {
		c.joinReady()
	}
}

// Close ends the consumer. Deliveries of a queue that are unsettled return to their places, marked as redelivered, and may
// be delivered to others before Close returns; those of a topic are dropped with the backlog. The receiver must not touch
// their messages any more. Deliveries that belong to a transaction stay with it. A second call does nothing. Safe for
// concurrent use.
func (c *Consumer) Close() {
	if c.dest == nil {
		c.leave()
		c.broker.removePattern(c)
		return
	}
	d := c.dest
	if d.queue != nil {
		if c.leave() {
			c.broker.forget(d)
		}
		return
	}
	c.leave()
	d.mu.Lock()
	d.removeSubscription(c)
	unused := d.unusedTopic()
	d.mu.Unlock()
	if unused {
		c.broker.forget(d)
	}
}

// leave gives everything back and reports whether c was the last thing in its queue.
func (c *Consumer) leave() (unused bool) {
	q := c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.closed {
		return false
	}
	c.closed = true
	c.broker.consumers.Add(-1)
	c.credit = 0
	c.leaveReady()
	var next *Delivery
	for d := c.unsettled.head; d != nil; d = next {
		next = d.after
		if d.state == stateHeld {
			continue
		}
		c.unsettled.remove(d)
		if d.copied || q.ended || q.dest == nil {
			m := d.Message
			d.Message, d.state = nil, stateGone
			m.Release()
			continue
		}
		n := q.replace(d)
		n.Redelivered = true
		q.wait(n)
		for _, other := range q.selective {
			other.lookAgain(n)
		}
	}
	c.unlist()
	if q.dest == nil {
		if !q.ended {
			q.end()
		}
		return false
	}
	q.dispatch()
	return q.unused()
}

// unlist takes c out of the lists of a queue destination; a topic's are its destination's affair.
func (c *Consumer) unlist() {
	q := c.queue
	if q.dest == nil {
		return
	}
	q.consumers.remove(c)
	for i, other := range q.selective {
		if other == c {
			q.selective = append(q.selective[:i], q.selective[i+1:]...)
			break
		}
	}
}

// dispatch offers what waits, oldest first, while somebody has credit.
func (q *queue) dispatch() {
	var next *Delivery
	for d := q.waiting.head; d != nil && q.ready != nil; d = next {
		next = d.after
		q.waiting.remove(d)
		q.offer(d)
	}
}
