package buffer

import (
	"sync/atomic"
)

const (
	defaultMaxHeldBytes = 16 << 20
	cacheLine           = 64
)

// PoolConfig sets up a Pool. The zero value is a good pool without a name.
type PoolConfig struct {
	MaxHeldBytes int    // most bytes kept for reuse; 0 = 16 MiB; what exceeds it goes to the shared pool
	Name         string // for diagnostics: origins in panics, leak reports, metrics
}

// Pool is an event loop's own allocator: a free list per size class without locks. Get, Put, Trim and Close belong to
// one goroutine at a time, the loop; releases on other goroutines arrive through a stack that Get empties when its list is
// empty. What is held for reuse is bounded in bytes.
type Pool struct {
	free     [classCount]*Buffer
	maxLocal uint64 // bytes in free lists
	name     string
	affinity
	untraced int64 // buffers since the last one with a leak trace

	gets, puts, misses, plain, held tally

	_        [cacheLine]byte // what follows is written by other goroutines
	returned returnStack
	closed   atomic.Bool

	overflow   atomic.Int64 // returned past the loop and the stack
	sharedGets atomic.Int64
	sharedPuts atomic.Int64
	plainPuts  atomic.Int64
}

var _ Allocator = (*Pool)(nil)

// NewPool returns an empty pool. The goroutine that first calls Get need not be the one that called NewPool.
func NewPool(cfg PoolConfig) *Pool {
	limit := cfg.MaxHeldBytes
	if limit <= 0 {
		limit = defaultMaxHeldBytes
	}
	p := &Pool{name: cfg.Name}
	// The two places that hold memory share the limit, so that neither needs the other's count.
	p.returned.limit = uint64(limit / 4)
	p.maxLocal = uint64(limit) - p.returned.limit
	return p
}

// Get returns an empty buffer with one reference and room for at least n bytes. Above 1 MiB it is plain memory.
// Call it on the event loop only. The caller must Release the result, or Put it.
func (p *Pool) Get(n int) *Buffer {
	if Debug {
		p.checkLoop("Get")
	}
	c := classOf(n)
	if c < 0 {
		return p.getPlain(n)
	}
	b := p.free[c]
	if b == nil {
		return p.getSlow(c)
	}
	p.free[c] = b.next
	b.next = nil
	b.refs = 1
	p.held.set(p.held.n - uint64(len(b.data)))
	p.gets.add(1)
	if Debug || leaks.every.Load() != 0 {
		b.born()
		p.sample(b)
	}
	return b
}

// getSlow empties the return stack, and failing that takes memory from the shared pool.
func (p *Pool) getSlow(c int) *Buffer {
	if p.drain() && p.free[c] != nil {
		return p.Get(classSize(c))
	}
	b, _ := shared.takeClass(c)
	return p.hand(b)
}

func (p *Pool) getPlain(n int) *Buffer {
	b := newPlain(n)
	p.plain.add(1)
	return p.hand(b)
}

// hand gives out memory that did not come from p's lists.
func (p *Pool) hand(b *Buffer) *Buffer {
	b.home = p
	b.refs = 1
	p.gets.add(1)
	p.misses.add(1)
	b.born()
	p.sample(b)
	return b
}

// GetShared is Get for other goroutines: the memory comes from and returns to the shared pool, and p counts the buffer
// as live. Safe for concurrent use. The caller must Release the result.
func (p *Pool) GetShared(n int) *Buffer {
	b, _ := shared.take(n)
	b.home = p
	b.flags |= flagShared
	b.refs = 1
	p.sharedGets.Add(1)
	b.born()
	leaks.sample(b)
	return b
}

// Put is b.Release on the loop, faster: the last reference returns the memory straight to p's lists. It takes any
// buffer, from whatever pool. Call it on the event loop only.
func (p *Pool) Put(b *Buffer) {
	if Debug {
		p.checkLoop("Put")
	}
	if b.home != p || b.flags != 0 || atomic.LoadInt32(&b.refs) != 1 {
		p.putSlow(b)
		return
	}
	// Nobody else has a reference, so nobody else may touch the count: a plain store is enough.
	b.refs = 0
	if Debug {
		b = b.retire()
	}
	b.r, b.w = 0, 0
	p.puts.add(1)
	held := p.held.n + uint64(len(b.data))
	if held > p.maxLocal {
		shared.keep(b)
		return
	}
	p.held.set(held)
	list := &p.free[b.class]
	b.next = *list
	*list = b
}

// putSlow takes buffers of other pools, shared ones, and traced ones.
func (p *Pool) putSlow(b *Buffer) {
	if b.home == p && b.flags == flagTraced && b.loadRefs() == 1 {
		b.untrace()
		p.Put(b)
		return
	}
	b.Release()
}

// hold puts a free buffer into its list, or passes it on when p holds enough.
func (p *Pool) hold(b *Buffer) {
	held := p.held.n + uint64(len(b.data))
	if held > p.maxLocal {
		shared.keep(b)
		return
	}
	p.held.set(held)
	b.next = p.free[b.class]
	p.free[b.class] = b
}

// drain moves what other goroutines released into the free lists and reports whether there was anything.
func (p *Pool) drain() bool {
	b := p.returned.takeAll()
	if b == nil {
		return false
	}
	n, bytes := 0, 0
	for b != nil {
		next := b.next
		b.next = nil
		n++
		bytes += len(b.data)
		p.hold(b)
		b = next
	}
	p.returned.forget(n, bytes)
	return true
}

// giveBack takes a buffer whose last reference was dropped by Release, on any goroutine.
func (p *Pool) giveBack(b *Buffer) {
	switch {
	case b.flags&flagShared != 0:
		shared.keep(b)
		p.sharedPuts.Add(1)
	case b.flags&flagPlain != 0:
		p.plainPuts.Add(1)
	default:
		if p.closed.Load() || !p.returned.push(b) {
			shared.keep(b)
			p.overflow.Add(1)
		}
	}
}

// Trim hands all memory held for reuse to the shared pool, whose contents the garbage collector may take.
// Call it on the event loop only.
func (p *Pool) Trim() {
	if Debug {
		p.checkLoop("Trim")
	}
	p.drain()
	for c, b := range p.free {
		p.free[c] = nil
		for b != nil {
			next := b.next
			b.next = nil
			p.held.set(p.held.n - uint64(len(b.data)))
			shared.keep(b)
			b = next
		}
	}
}

// Close ends p when its loop has ended: memory held for reuse and buffers released later go to the shared pool. p still
// counts, so that Live shows what was never released. Call it on the event loop only, last.
func (p *Pool) Close() {
	p.closed.Store(true)
	p.maxLocal = 0
	p.Trim()
}
