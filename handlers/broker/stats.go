package broker

import "sync"

// counts are what a queue or a consumer has done.
type counts struct {
	published    uint64
	delivered    uint64
	redelivered  uint64
	acknowledged uint64
	dropped      uint64
	dead         uint64
}

func (c *counts) add(o counts) {
	c.published += o.published
	c.delivered += o.delivered
	c.redelivered += o.redelivered
	c.acknowledged += o.acknowledged
	c.dropped += o.dropped
	c.dead += o.dead
}

// folded are the counts of what is gone. Its lock comes before all others, so that Stats counts nothing twice.
type folded struct {
	mu     sync.Mutex
	counts counts
}

// Stats are a broker's counters since its start and what it holds now. They are exact when nobody is at work.
type Stats struct {
	Destinations int    `json:"destinations"` // queues and topics
	Wildcards    int    `json:"wildcards"`    // wildcard subscriptions
	Consumers    int    `json:"consumers"`    // wildcard subscriptions included
	Messages     int    `json:"messages"`     // held by queues and subscriptions, unsettled ones included
	Bytes        int64  `json:"bytes"`        // theirs; a message counts for each subscription
	Unsettled    int    `json:"unsettled"`    // of Messages, given out
	StoredBytes  int64  `json:"stored_bytes"` // of what MaxTotalBytes limits
	Published    uint64 `json:"published"`    // accepted by Publish and Commit
	Unrouted     uint64 `json:"unrouted"`     // of these, to topics where nobody took them
	Refused      uint64 `json:"refused"`      // that failed with ErrFull
	Delivered    uint64 `json:"delivered"`    // given to consumers
	Redelivered  uint64 `json:"redelivered"`  // of these, not for the first time
	Acknowledged uint64 `json:"acknowledged"` // accepted by consumers
	Dropped      uint64 `json:"dropped"`      // by PolicyDropOldest, PolicyDisconnect and closing
	Dead         uint64 `json:"dead"`         // rejected or tried too often
}

// DestinationStats are those of one destination, or of one wildcard subscription.
type DestinationStats struct {
	Name         string `json:"name"`
	Kind         Kind   `json:"kind"`
	Wildcard     bool   `json:"wildcard,omitempty"`  // Name is the pattern of one subscription
	Temporary    bool   `json:"temporary,omitempty"` // made by Broker.Temporary
	Consumers    int    `json:"consumers"`
	Messages     int    `json:"messages"`     // held, unsettled ones included; for a topic by all subscriptions
	Bytes        int64  `json:"bytes"`        // theirs
	Unsettled    int    `json:"unsettled"`    // of Messages, given out
	Published    uint64 `json:"published"`    // accepted by the destination
	Delivered    uint64 `json:"delivered"`    // given to consumers
	Redelivered  uint64 `json:"redelivered"`  // of these, not for the first time
	Acknowledged uint64 `json:"acknowledged"` // accepted by consumers
	Dropped      uint64 `json:"dropped"`      // by policies and closing
	Dead         uint64 `json:"dead"`         // rejected or tried too often
}

// ConsumerStats are those of one consumer.
type ConsumerStats struct {
	Backlog      int    `json:"backlog"`       // that wait for credit; of a queue all that wait in it
	BacklogBytes int64  `json:"backlog_bytes"` // theirs
	Unsettled    int    `json:"unsettled"`     // given out to the consumer
	Credit       int    `json:"credit"`        // how many more may come
	Delivered    uint64 `json:"delivered"`     // given out
	Redelivered  uint64 `json:"redelivered"`   // of these, not for the first time
	Acknowledged uint64 `json:"acknowledged"`  // accepted
	Dropped      uint64 `json:"dropped"`       // dead by the consumer's doing; of a topic also dropped from its backlog
}

// Stats returns the consumer's counters. Safe for concurrent use.
func (c *Consumer) Stats() ConsumerStats {
	q := c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	s := ConsumerStats{
		Backlog: q.waiting.n, BacklogBytes: q.waiting.bytes, Unsettled: c.unsettled.n, Credit: c.credit,
		Delivered: c.counts.delivered, Redelivered: c.counts.redelivered,
		Acknowledged: c.counts.acknowledged, Dropped: c.counts.dropped,
	}
	if q.dest == nil {
		s.Dropped += q.counts.dropped
	}
	return s
}

// Stats returns the broker's counters. It visits every destination. Safe for concurrent use.
func (b *Broker) Stats() Stats {
	b.folded.mu.Lock()
	defer b.folded.mu.Unlock()
	s := Stats{StoredBytes: b.stored.bytes.Load(), Unrouted: b.unrouted.Load(), Refused: b.refused.Load()}
	total := b.folded.counts
	for _, d := range b.registry.all() {
		of := d.stats()
		s.Destinations++
		s.add(of)
		total.add(d.total())
	}
	for _, c := range b.patterns.all() {
		s.Wildcards++
		s.add(c.wildcardStats())
		c.queue.mu.Lock()
		total.add(c.queue.counts)
		c.queue.mu.Unlock()
	}
	s.Published = b.ids.Load()
	s.Delivered, s.Redelivered, s.Acknowledged = total.delivered, total.redelivered, total.acknowledged
	s.Dropped, s.Dead = total.dropped, total.dead
	return s
}

func (s *Stats) add(d DestinationStats) {
	s.Consumers += d.Consumers
	s.Messages += d.Messages
	s.Bytes += d.Bytes
	s.Unsettled += d.Unsettled
}

// Destinations calls f for each destination and each wildcard subscription that there is, in no order, until it returns
// false. f runs without locks. Safe for concurrent use.
func (b *Broker) Destinations(f func(DestinationStats) bool) {
	for _, d := range b.registry.all() {
		if !f(d.stats()) {
			return
		}
	}
	for _, c := range b.patterns.all() {
		if !f(c.wildcardStats()) {
			return
		}
	}
}

// stats takes the locks.
func (d *destination) stats() DestinationStats {
	s := DestinationStats{Name: d.name, Temporary: d.temporary != nil}
	if q := d.queue; q != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		s.Kind = KindQueue
		s.Consumers = len(q.consumers)
		s.hold(q)
		s.count(q.counts)
		return s
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.count(d.past)
	s.Consumers = len(d.subscriptions)
	for _, c := range d.subscriptions {
		c.queue.mu.Lock()
		s.hold(c.queue)
		s.count(c.queue.counts)
		c.queue.mu.Unlock()
	}
	s.Published = d.published
	return s
}

// total returns all counts, also of subscriptions that are gone. It takes the locks.
func (d *destination) total() counts {
	s := d.stats()
	return counts{
		published: s.Published, delivered: s.Delivered, redelivered: s.Redelivered,
		acknowledged: s.Acknowledged, dropped: s.Dropped, dead: s.Dead,
	}
}

func (c *Consumer) wildcardStats() DestinationStats {
	s := DestinationStats{Name: c.name, Wildcard: true, Consumers: 1}
	c.queue.mu.Lock()
	defer c.queue.mu.Unlock()
	s.hold(c.queue)
	s.count(c.queue.counts)
	return s
}

func (s *DestinationStats) hold(q *queue) {
	s.Messages += q.held
	s.Bytes += q.bytes
	s.Unsettled += q.held - q.waiting.n
}

func (s *DestinationStats) count(c counts) {
	s.Published += c.published
	s.Delivered += c.delivered
	s.Redelivered += c.redelivered
	s.Acknowledged += c.acknowledged
	s.Dropped += c.dropped
	s.Dead += c.dead
}
