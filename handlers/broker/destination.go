package broker

import (
	"sync"
	"sync/atomic"
)

// destination is a topic with subscriptions, or a queue.
type destination struct {
	broker    *Broker
	name      string
	temporary *Temporary // nil: an ordinary one
	queue     *queue     // nil: a topic

	mu   sync.Mutex // of a topic; a queue has its own
	dead bool       // about to be forgotten; whoever meets it looks again

	subscriptions members
	blocked       atomic.Int32 // how many of them are full
	published     uint64
	past          counts // of subscriptions that are gone
}

func (b *Broker) newDestination(name string, kind Kind, t *Temporary) *destination {
	d := &destination{broker: b, name: name, temporary: t}
	if kind == KindQueue {
		d.queue = &queue{broker: b, dest: d, bounds: b.bounds(0, 0), policy: b.Overflow.or(PolicyPause)}
	}
	return d
}

// lock is the one that guards d.
func (d *destination) lock() *sync.Mutex {
	if d.queue != nil {
		return &d.queue.mu
	}
	return &d.mu
}

// members are consumers that know their place in the list.
type members []*Consumer

func (l *members) add(c *Consumer) {
	c.index = len(*l)
	*l = append(*l, c)
}

func (l *members) remove(c *Consumer) {
	if c.index < 0 {
		return
	}
	last := len(*l) - 1
	moved := (*l)[last]
	(*l)[c.index], moved.index = moved, c.index
	(*l)[last] = nil
	*l = (*l)[:last]
	c.index = -1
}

// removeSubscription takes an ended subscription from a topic. It expects mu to be held.
func (d *destination) removeSubscription(c *Consumer) {
	if c.index < 0 {
		return
	}
	d.subscriptions.remove(c)
	c.queue.mu.Lock()
	d.past.add(c.queue.counts)
	c.queue.mu.Unlock()
}

// unusedTopic reports that nobody needs the topic any more, which the caller then forgets after it has released mu.
func (d *destination) unusedTopic() bool {
	if d.dead || d.temporary != nil || len(d.subscriptions) > 0 {
		return false
	}
	d.dead = true
	return true
}

// end ends everything in d for that reason. The caller forgets d.
func (d *destination) end(err error) {
	mu := d.lock()
	mu.Lock()
	defer mu.Unlock()
	d.dead = true
	if q := d.queue; q != nil {
		if q.ended {
			return
		}
		q.end()
		for _, c := range q.consumers {
			c.tell(err)
		}
		return
	}
	for len(d.subscriptions) > 0 {
		c := d.subscriptions[0]
		c.end(err)
		d.removeSubscription(c)
	}
}

// end ends a topic's subscription.
func (c *Consumer) end(err error) {
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	if !c.queue.ended {
		c.queue.end()
		c.tell(err)
	}
}

// tell says why the broker ended the consumer.
func (c *Consumer) tell(err error) {
	c.credit = 0
	c.leaveReady()
	if c.ending != nil {
		c.ending(err)
	}
}
