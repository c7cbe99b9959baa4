package broker

// Transaction collects messages and settlements that take effect together, or not at all. It belongs to one goroutine at a
// time. The caller must Commit or Abort it.
type Transaction struct {
	broker   *Broker
	messages []*Message
	settles  []settlement
	bytes    int64
	done     bool
}

type settlement struct {
	delivery *Delivery
	how      outcome
}

// Begin starts a transaction. Safe for concurrent use.
func (b *Broker) Begin() *Transaction { return &Transaction{broker: b} }

// Publish adds a message. It takes m, also when it fails. Errors: ErrTransactionTooLarge, ErrTransactionDone, ErrName,
// ErrPublished; the transaction stays as it was.
func (t *Transaction) Publish(m *Message) error {
	err := t.room(int64(m.Size()))
	if err == nil {
		err = checkMessage(m)
	}
	if err != nil {
		m.Release()
		return err
	}
	t.bytes += int64(m.Size())
	t.messages = append(t.messages, m)
	return nil
}

// room reports whether one more action with n bytes may be added.
func (t *Transaction) room(n int64) error {
	b := t.broker
	switch {
	case t.done:
		return ErrTransactionDone
	case len(t.messages)+len(t.settles) >= or(b.MaxActions, DefaultMaxActions),
		t.bytes+n > or(b.MaxTransactionBytes, int64(DefaultMaxTransactionBytes)):
		return ErrTransactionTooLarge
	}
	return nil
}

// Accept adds that d is accepted. From now on d belongs to the transaction, also when its consumer closes. Errors:
// ErrSettled, ErrTransactionTooLarge, ErrTransactionDone; d stays with the caller.
func (t *Transaction) Accept(d *Delivery) error { return t.settle(d, accepted) }

// Retry adds that d is to be tried again. See Accept.
func (t *Transaction) Retry(d *Delivery) error { return t.settle(d, retried) }

// Reject adds that d is dead. See Accept.
func (t *Transaction) Reject(d *Delivery) error { return t.settle(d, rejected) }

func (t *Transaction) settle(d *Delivery, how outcome) error {
	if err := t.room(0); err != nil {
		return err
	}
	q := d.queue
	if q == nil {
		return ErrSettled
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if d.state != stateUnsettled {
		return ErrSettled
	}
	d.state = stateHeld
	t.settles = append(t.settles, settlement{d, how})
	return nil
}

// Commit settles the deliveries and publishes the messages, in order. When it fails nothing has happened and the transaction
// is as before: ErrFull, ErrNoDestination, ErrTooManyDestinations, ErrClosed. What fits when it starts is taken as a whole,
// so that a limit may be passed by what one transaction holds. A pause is that of Broker.Publish.
func (t *Transaction) Commit() (*Pause, error) {
	if t.done {
		return nil, ErrTransactionDone
	}
	if len(t.messages) > 0 {
		if err := t.broker.room(); err != nil {
			return nil, err
		}
	}
	pinned := make([]*destination, 0, len(t.messages))
	for _, m := range t.messages {
		d, err := t.broker.pin(m.Destination)
		if err != nil {
			t.broker.unpin(pinned)
			return nil, err
		}
		pinned = append(pinned, d)
	}
	for _, s := range t.settles {
		s.apply()
	}
	var p *Pause
	for i, m := range t.messages {
		p = t.broker.commit(pinned[i], m, p)
	}
	t.end()
	return p, nil
}

// Abort drops the messages and leaves the deliveries unsettled with their consumers; those of closed consumers return to
// their queues. After Commit it does nothing.
func (t *Transaction) Abort() {
	if t.done {
		return
	}
	for _, m := range t.messages {
		m.Release()
	}
	for _, s := range t.settles {
		s.undo()
	}
	t.end()
}

func (t *Transaction) end() {
	t.done = true
	t.messages, t.settles = nil, nil
}

func (s settlement) apply() {
	q := s.delivery.queue
	q.finish(s.settleLocked(q))
}

func (s settlement) settleLocked(q *queue) remains {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.settle(s.delivery, s.how)
}

func (s settlement) undo() {
	q := s.delivery.queue
	q.finish(s.undoLocked(q))
}

func (s settlement) undoLocked(q *queue) remains {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.delivery.Consumer.closed {
		return q.settle(s.delivery, released)
	}
	s.delivery.state = stateUnsettled
	return remains{}
}

// pin keeps a destination until commit or unpin, once it is known to take a message. Nil is a topic without subscriptions.
func (b *Broker) pin(name string) (*destination, error) {
	for {
		d, err := b.target(name)
		if d == nil || err != nil {
			return nil, err
		}
		ok, err := d.pin()
		if ok || err != nil {
			return d, err
		}
		b.forget(d)
	}
}

func (d *destination) pin() (ok bool, err error) {
	mu := d.lock()
	mu.Lock()
	defer mu.Unlock()
	q := d.queue
	switch {
	case d.dead:
		return false, nil
	case q == nil && d.blocked.Load() > 0,
		q != nil && q.policy != PolicyDropOldest && q.bounds.reached(q.held, q.bytes):
		d.broker.refused.Add(1)
		return false, ErrFull
	case q != nil:
		q.pins++
	}
	return true, nil
}

func (b *Broker) unpin(list []*destination) {
	for _, d := range list {
		if d == nil || d.queue == nil {
			continue
		}
		d.queue.mu.Lock()
		d.queue.pins--
		unused := d.queue.unused()
		d.queue.mu.Unlock()
		if unused {
			b.forget(d)
		}
	}
}

// commit publishes a message of a transaction to the pinned destination. It cannot fail: what has gone meanwhile went
// after the commit.
func (b *Broker) commit(d *destination, m *Message, p *Pause) *Pause {
	if d == nil || d.queue == nil {
		more, done, _ := b.fanOut(d, m, true)
		for !done { // the topic's last subscription has gone; there may be a new one
			b.forget(d)
			d = b.registry.find(m.Destination)
			more, done, _ = b.fanOut(d, m, true)
		}
		return p.merge(more)
	}
	more, ok := d.queue.commit(m)
	if !ok {
		b.ids.Add(1)
		b.folded.mu.Lock()
		b.folded.counts.dropped++
		b.folded.mu.Unlock()
		m.Release()
	}
	return p.merge(more)
}

// commit takes m into the pinned queue and reports false when that is dead. It takes the lock.
func (q *queue) commit(m *Message) (p *Pause, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pins--
	if q.dest.dead {
		return nil, false
	}
	return q.accept(m), true
}
