package broker

// Publish gives m to every present subscription of a topic, or puts it into a queue. It takes m, also when it fails, and
// never waits. A pause that is not nil asks the publisher, whose message was accepted, to pause.
//
// Errors, with which nobody got the message: ErrFull, ErrName, ErrNoDestination for a temporary destination that does not
// exist, ErrTooManyDestinations, ErrPublished, ErrClosed.
func (b *Broker) Publish(m *Message) (*Pause, error) {
	err := checkMessage(m)
	if err == nil {
		err = b.room()
	}
	if err != nil {
		m.Release()
		return nil, err
	}
	for {
		d, err := b.target(m.Destination)
		if err != nil {
			m.Release()
			return nil, err
		}
		if d == nil || d.queue == nil {
			if p, done, err := b.fanOut(d, m, false); done {
				return p, err
			}
		} else if p, done, err := d.queue.publish(m); done {
			return p, err
		}
		b.forget(d) // it is dead
	}
}

func checkMessage(m *Message) error {
	if m.id != 0 {
		return ErrPublished
	}
	return checkName(m.Destination)
}

// target finds the destination of a message. Queues are made; nil is a topic that nobody has subscribed to by its name.
func (b *Broker) target(name string) (*destination, error) {
	if b.closed.Load() {
		return nil, ErrClosed
	}
	if d := b.registry.find(name); d != nil {
		return d, nil
	}
	switch {
	case isTemporary(name):
		return nil, ErrNoDestination
	case b.kind(name) == KindQueue:
		return b.open(name, KindQueue, nil)
	}
	return nil, nil
}

// publish puts m into a queue destination. It takes the lock, and m unless the queue is dead.
func (q *queue) publish(m *Message) (p *Pause, done bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dest.dead {
		return nil, false, nil
	}
	if q.policy != PolicyDropOldest && q.bounds.reached(q.held, q.bytes) {
		q.broker.refused.Add(1)
		m.Release()
		return nil, true, ErrFull
	}
	return q.accept(m), true, nil
}

// accept takes m into a queue destination.
func (q *queue) accept(m *Message) (p *Pause) {
	m.seal(q.broker)
	q.counts.published++
	q.arrive(m)
	if q.policy == PolicyDropOldest {
		q.trim()
	}
	if q.over() {
		return p.add(q)
	}
	return nil
}

// fanOut gives m to the subscriptions of d, which may be nil, and to those with wildcards. It takes the locks, and m unless
// d is dead. With force limits do not make it fail.
func (b *Broker) fanOut(d *destination, m *Message, force bool) (p *Pause, done bool, err error) {
	var wild *wildcards
	if b.patterns.count.Load() > 0 && (d == nil || d.temporary == nil) {
		wild = b.patterns.find(m.Destination)
		defer wild.put()
		if !force && wild.full() {
			b.refused.Add(1)
			m.Release()
			return nil, true, ErrFull
		}
	}
	taken := 0
	if d == nil {
		m.seal(b)
	} else if p, taken, done, err = d.publish(m, force); !done || err != nil {
		return nil, done, err
	}
	if wild != nil {
		p, taken = wild.give(m, p, taken)
	}
	if taken == 0 {
		b.unrouted.Add(1)
	}
	m.Release()
	return p, true, nil
}

// publish gives m to the subscriptions of a topic, and reports how many took it. It takes the locks; the reference of m stays
// with the caller, unless there is an error.
func (d *destination) publish(m *Message, force bool) (p *Pause, taken int, done bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return nil, 0, false, nil
	}
	if !force && d.blocked.Load() > 0 {
		d.broker.refused.Add(1)
		m.Release()
		return nil, 0, true, ErrFull
	}
	m.seal(d.broker)
	d.published++
	p, taken = d.give(m)
	return p, taken, true, nil
}

// give gives m to all subscriptions, with mu held.
func (d *destination) give(m *Message) (p *Pause, taken int) {
	n := len(d.subscriptions)
	m.retain(n) // at once, as one operation for each would cost more than all else
	for i := 0; i < len(d.subscriptions); {
		c := d.subscriptions[i]
		took, over, ended := c.take(m)
		if took {
			taken++
		}
		if over {
			p = p.add(c.queue)
		}
		if ended {
			d.removeSubscription(c) // another one is at i now
			continue
		}
		i++
	}
	if taken < n {
		m.release(n - taken)
	}
	return p, taken
}

// take puts m into a subscription's backlog, for which the caller has retained it. It takes the queue's lock.
func (c *Consumer) take(m *Message) (took, over, ended bool) {
	q := c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return false, false, true
	}
	if c.match != nil && !c.match(m) {
		return false, false, false
	}
	if q.policy == PolicyDisconnect && q.bounds.reached(q.held, q.bytes) {
		q.counts.published++
		q.counts.dropped++
		q.end()
		c.tell(ErrSlow)
		return false, false, true
	}
	q.counts.published++
	q.arrive(m)
	if q.policy == PolicyDropOldest {
		q.trim()
	}
	return true, q.over(), false
}
