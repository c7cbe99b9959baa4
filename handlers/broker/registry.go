package broker

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
)

// registry finds destinations by name. The names are spread over shards, so that publishers to different destinations do
// not meet at one lock.
type registry struct {
	shards [shardCount]shard
	count  atomic.Int64 // destinations and wildcard subscriptions
}

const shardCount = 16

type shard struct {
	mu    sync.RWMutex
	names map[string]*destination
	_     [64]byte // shards are used by different goroutines at a time
}

var seed = maphash.MakeSeed()

func (r *registry) shard(name string) *shard {
	return &r.shards[maphash.String(seed, name)%shardCount]
}

func (r *registry) find(name string) *destination {
	s := r.shard(name)
	s.mu.RLock()
	d := s.names[name]
	s.mu.RUnlock()
	return d
}

// all returns a snapshot.
func (r *registry) all() []*destination {
	var list []*destination
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.RLock()
		for _, d := range s.names {
			list = append(list, d)
		}
		s.mu.RUnlock()
	}
	return list
}

// reserve makes room for one more.
func (b *Broker) reserve() error {
	if b.registry.count.Add(1) > int64(or(b.MaxDestinations, DefaultMaxDestinations)) {
		b.registry.count.Add(-1)
		return ErrTooManyDestinations
	}
	return nil
}

// open returns the destination with that name, which it makes when there is none. It takes no other lock.
func (b *Broker) open(name string, kind Kind, t *Temporary) (*destination, error) {
	s := b.registry.shard(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.names[name]; d != nil {
		return d, nil
	}
	if b.closed.Load() { // Close has seen, or will see, everything that was here before
		return nil, ErrClosed
	}
	if err := b.reserve(); err != nil {
		return nil, err
	}
	if s.names == nil {
		s.names = make(map[string]*destination)
	}
	d := b.newDestination(strings.Clone(name), kind, t)
	s.names[d.name] = d
	return d, nil
}

// forget removes a dead destination.
func (b *Broker) forget(d *destination) {
	b.folded.mu.Lock()
	defer b.folded.mu.Unlock()
	s := b.registry.shard(d.name)
	s.mu.Lock()
	known := s.names[d.name] == d
	if known {
		delete(s.names, d.name)
	}
	s.mu.Unlock()
	if known {
		b.registry.count.Add(-1)
		b.folded.counts.add(d.total())
	}
}
