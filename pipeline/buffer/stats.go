package buffer

// Stats is a snapshot of a pool's counters. Counts only ever grow, except Live and HeldBytes.
type Stats struct {
	Gets           uint64 `json:"gets"`            // buffers handed out
	Hits           uint64 `json:"hits"`            // of these, from memory that the pool itself held for reuse
	Misses         uint64 `json:"misses"`          // of these, all others: from the shared pool (SharedStats: newly made), or above the largest class
	ForeignReturns uint64 `json:"foreign_returns"` // buffers of a loop that Release, not Put, gave back; they took the stack
	Unpooled       uint64 `json:"unpooled"`        // buffers above the largest class, made and left to the garbage collector
	Live           int    `json:"live"`            // handed out and not yet back
	HeldBytes      int    `json:"held_bytes"`      // kept for reuse by the pool itself (SharedStats: 0, as the garbage collector rules it)
}

// Live returns the number of buffers handed out and not yet given back. It is exact when nobody is at work on p.
// Safe for concurrent use.
func (p *Pool) Live() int {
	// Returns are read first: a buffer that comes and goes in between then counts once too often, never too little.
	back := p.puts.load() + p.returned.returns()
	backElsewhere := p.overflow.Load() + p.sharedPuts.Load() + p.plainPuts.Load()
	live := int64(p.gets.load()-back) + p.sharedGets.Load() - backElsewhere
	return int(max(live, 0)) // machines that reorder stores may show the two halves of a return in the wrong order
}

// Stats returns p's counters. Safe for concurrent use.
func (p *Pool) Stats() Stats {
	fromShared := uint64(p.sharedGets.Load())
	misses := fromShared + p.misses.load()
	gets := fromShared + p.gets.load()
	return Stats{
		Gets:           gets,
		Hits:           gets - misses,
		Misses:         misses,
		ForeignReturns: p.returned.returns() + uint64(p.overflow.Load()),
		Unpooled:       p.plain.load(),
		Live:           p.Live(),
		HeldBytes:      int(p.held.load() + p.returned.held()&loadBytes),
	}
}

// SharedStats returns the counters of the process-wide pool. Buffers that loops take from it count there.
// Safe for concurrent use.
func SharedStats() Stats {
	var s Stats
	shared.plain.addTo(&s)
	s.Unpooled = s.Gets
	for i := range shared.classes {
		shared.classes[i].counts.addTo(&s)
	}
	s.Hits = s.Gets - s.Misses
	return s
}

// addTo adds to s. What is a part of the gets is read before them.
func (c *sharedCounts) addTo(s *Stats) {
	puts, misses := c.puts.Load(), c.misses.Load()
	gets := c.gets.Load()
	s.Gets += uint64(gets)
	s.Misses += uint64(misses)
	s.Live += int(gets - puts)
}
