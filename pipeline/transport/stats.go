package transport

import "github.com/penstock-go/penstock/pipeline"

// Stats are counters since the server was started, except for Open.
type Stats struct {
	Open           int                `json:"open"`            // connections now
	Accepted       int64              `json:"accepted"`        // connections let in
	RefusedFull    int64              `json:"refused_full"`    // turned away because of MaxConns,
	RefusedAddress int64              `json:"refused_address"` // of MaxPerAddress,
	RefusedByRule  int64              `json:"refused_by_rule"` // and by Allow
	AcceptErrors   int64              `json:"accept_errors"`   // failures of the system to accept
	Stalls         int64              `json:"stalls"`          // callbacks that kept an event loop for longer than StallAfter
	Loops          pipeline.LoopStats `json:"loops"`           // sum over all event loops
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
