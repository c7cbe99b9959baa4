package httpx

import "github.com/penstock-go/penstock/pipeline"

// spares are exchanges of a loop that are over and that nobody holds.
type spares struct{ list []*Exchange }

// mostSpares is how many a loop keeps: as many as are answered at a time, one inside the other.
const mostSpares = 64

var loopSpares = pipeline.NewLoopKey[*spares]("httpx spares")

func sparesOf(l *pipeline.Loop) *spares {
	s, ok := loopSpares.Get(l)
	if !ok {
		s = &spares{}
		loopSpares.Set(l, s)
	}
	return s
}

func (s *spares) get() *Exchange {
	n := len(s.list) - 1
	if n < 0 {
		return new(Exchange)
	}
	x := s.list[n]
	s.list[n] = nil
	s.list = s.list[:n]
	return x
}

func (s *spares) put(x *Exchange) {
	if len(s.list) < mostSpares {
		s.list = append(s.list, x)
	}
}
