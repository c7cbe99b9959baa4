package broker

import (
	"sync/atomic"
)

// Broker has the destinations. The zero value is ready; set the fields before the first use and do not copy it. All
// methods are safe for concurrent use.
type Broker struct {
	// Kind tells what a destination is; nil = DefaultKind. It must always say the same of a name.
	Kind func(name string) Kind
	// MaxMessages and MaxBytes limit each queue, and each subscription that has no limits of its own, unsettled deliveries
	// included. The message that crosses a limit is still taken. 0 = 10,000 and 64 MiB.
	MaxMessages int
	MaxBytes    int64
	// MaxTotalBytes limits all messages together, each counted once as long as anybody holds it, with 640 bytes for itself
	// and 128 for each backlog that it waits in behind 64 others. At the limit publishing fails with ErrFull everywhere.
	// 0 = 1 GiB.
	MaxTotalBytes int64
	// Overflow is what happens to queues at their limits; PolicyDefault, the zero value, is PolicyPause here.
	Overflow Policy
	// MaxDeliveries is how often a message is tried: when that many tries have ended in Delivery.Retry, it is dead.
	// 0 = 16.
	MaxDeliveries int
	// Dead gets the messages that were rejected or tried too often, on the goroutine that settled them and without locks.
	// A message is lent: Message.Clone makes one for another destination. Nil = they are dropped. They are counted
	// either way.
	Dead func(m *Message)
	// MaxDestinations limits queues, topics that are subscribed to, temporary destinations and wildcard subscriptions
	// together. 0 = 100,000.
	MaxDestinations int
	// MaxConsumers limits the consumers of all destinations together. 0 = 200,000.
	MaxConsumers int
	// MaxActions and MaxTransactionBytes limit a transaction: its messages and settlements, and the bytes of its messages.
	// 0 = 1,024 and 8 MiB.
	MaxActions          int
	MaxTransactionBytes int64

	// Locks are taken in this order: folded, then one of a registry's shard, the patterns, or a destination; under a
	// topic that of one of its subscriptions.
	registry registry
	patterns patterns
	folded   folded

	ids       atomic.Uint64 // the last message's; so many have been published
	stored    storage
	consumers atomic.Int64
	unrouted  atomic.Uint64
	refused   atomic.Uint64
	closed    atomic.Bool
}

func (b *Broker) maxDeliveries() int { return or(b.MaxDeliveries, DefaultMaxDeliveries) }

// bounds are those of a queue, or of a subscription that asks for other ones.
func (b *Broker) bounds(messages int, bytes int64) bounds {
	return bounds{
		messages: or(messages, or(b.MaxMessages, DefaultMaxMessages)),
		bytes:    or(bytes, or(b.MaxBytes, int64(DefaultMaxBytes))),
	}
}

func (b *Broker) kind(name string) Kind {
	if b.Kind == nil {
		return DefaultKind(name)
	}
	return b.Kind(name)
}

// Close ends all consumers with ErrClosed, drops all messages, and lets every publisher that pauses go on. From then on
// everything fails with ErrClosed. A second call does nothing.
func (b *Broker) Close() {
	if b.closed.Swap(true) {
		return
	}
	for _, d := range b.registry.all() {
		d.end(ErrClosed)
		b.forget(d)
	}
	for _, c := range b.patterns.all() {
		c.end(ErrClosed)
		b.removePattern(c)
	}
}
