package buffer

import "sync/atomic"

// Stats is a snapshot of a pool's counters. Counts only ever grow, except Live and HeldBytes.
type Stats struct {
	Gets           uint64 // buffers handed out
	Hits           uint64 // of these, from memory that the pool held itself
	Misses         uint64 // of these, from the shared pool or newly made (SharedStats: newly made)
	ForeignReturns uint64 // buffers of a loop that Release, not Put, gave back; they took the stack
	Unpooled       uint64 // buffers above the largest class, made and left to the garbage collector
	Live           int    // handed out and not yet back
	HeldBytes      int    // kept for reuse by the pool itself (SharedStats: 0, as the garbage collector rules it)
}

// Live returns the number of buffers handed out and not yet given back. It is exact when nobody is at work on p.
// Safe for concurrent use.
func (p *Pool) Live() int {
	// Returns are read first: a buffer that comes and goes in between then counts once too often, never too little.
	back := int64(p.puts.load()) + p.foreign.Load() + p.sharedPuts.Load() + p.plainPuts.Load()
	return int(int64(p.gets.load()) + p.sharedGets.Load() - back)
}

// Stats returns p's counters. Safe for concurrent use.
func (p *Pool) Stats() Stats {
	s := Stats{
		Live:           p.Live(),
		ForeignReturns: uint64(p.foreign.Load()),
		Hits:           p.hits.load(),
		Unpooled:       p.plain.load(),
		HeldBytes:      int(p.held.load()) + int(p.returned.bytes.Load()),
	}
	s.Gets = p.gets.load() + uint64(p.sharedGets.Load())
	s.Misses = s.Gets - s.Hits
	return s
}

// SharedStats returns the counters of the process-wide pool. Safe for concurrent use.
func SharedStats() Stats {
	var s Stats
	var gets, puts, misses int64
	for i := range shared.classes {
		counts := &shared.classes[i].counts
		puts += counts.puts.Load()
		gets += counts.gets.Load()
		misses += counts.misses.Load()
	}
	s.Unpooled = uint64(shared.plain.gets.Load())
	s.Live = int(gets - puts + shared.plain.gets.Load() - shared.plain.puts.Load())
	s.Gets = uint64(gets) + s.Unpooled
	s.Misses = uint64(misses)
	s.Hits = uint64(max(gets-misses, 0))
	return s
}

// tally is a counter that one goroutine at a time changes and any may read. An atomic store costs as much as the whole
// rest of Pool.Get, so the change is a plain one: the reader sees some value that was written, being one word
// (The Go Memory Model, "Implementation Restrictions for Programs Containing Data Races"), though maybe a stale one.
type tally struct{ n uintptr }

// add is hidden from the race detector for the reason above; the reader's load is atomic.
//
//go:norace
func (t *tally) add(n uintptr) { t.n += n }

//go:norace
func (t *tally) sub(n uintptr) { t.n -= n }

func (t *tally) load() uint64 { return uint64(atomic.LoadUintptr(&t.n)) }
