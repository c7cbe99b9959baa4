package broker

// Consumers with Filter or Copy walk through everything in their queue and remember where they are. A consumer with a filter
// that has credit left has looked at everything that waits; what comes, or comes back, is offered to it. Methods expect the
// queue's lock to be held.

// search takes what the filter wants of what waits and has not been looked at.
func (c *Consumer) search() {
	q := c.queue
	for c.credit > 0 {
		d := q.head
		if c.at != nil {
			d = c.at.next
		}
		if d == nil {
			return
		}
		c.at = d
		if d.state == stateWaiting && c.filter(d.Message) {
			q.waiting.remove(d)
			c.give(d)
		}
	}
}

// browse gives copies of what the consumer has not seen.
func (c *Consumer) browse() {
	q := c.queue
	for c.credit > 0 {
		d := q.head
		if c.at != nil {
			d = c.at.next
		}
		if d == nil {
			return
		}
		c.at = d
		if c.filter != nil && !c.filter(d.Message) {
			continue
		}
		own := q.get()
		d.Message.Retain()
		own.Message, own.size, own.failed, own.Redelivered, own.copied = d.Message, d.size, d.failed, d.Redelivered, true
		c.give(own)
	}
}

// lookAgain lets a consumer with a filter and without credit see d later, which came back.
func (c *Consumer) lookAgain(d *Delivery) {
	if !c.copies && c.nextReady == nil && c.at != nil && c.at.seq >= d.seq {
		c.at = d.prev
	}
}
