package transport

import "github.com/penstock-go/penstock/pipeline"

// Stats are counters since the server was started, except for Open.
type Stats struct {
	Open           int                // connections now
	Accepted       int64              // connections let in
	RefusedFull    int64              // turned away because of MaxConns,
	RefusedAddress int64              // of MaxPerAddress,
	RefusedByRule  int64              // and by Allow
	AcceptErrors   int64              // failures of the system to accept
	Stalls         int64              // callbacks that kept an event loop for longer than StallAfter
	Loops          pipeline.LoopStats // sum over all event loops
}

// Stats are the server's counters. Safe for concurrent use.
func (s *Server) Stats() Stats {
	g := &s.gate
	stats := Stats{
		Open: g.count(), Accepted: g.accepted.Load(), RefusedFull: g.refusedFull.Load(),
		RefusedAddress: g.refusedAddress.Load(), RefusedByRule: g.refusedByRule.Load(),
		AcceptErrors: g.acceptErrors.Load(),
	}
	s.mu.Lock()
	e, w := s.engine, s.watch
	s.mu.Unlock()
	if e != nil {
		stats.Stalls, stats.Loops = w.count.Load(), e.stats()
	}
	return stats
}
