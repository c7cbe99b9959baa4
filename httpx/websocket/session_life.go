package websocket

import (
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
)

// life is what is known of whether the peer is there.
type life struct {
	timer  *pipeline.Timer
	last   time.Time // something came
	asked  bool      // by a ping, since then
	packed uint64    // Encoder.packed at the last look
}

// beats counts control frames.
type beats struct {
	since   time.Time // the span that is counted
	n       int       // in that span
	inBatch int       // pings in this batch
	waiting bool      // a pong is due, with
	payload [maxControlBytes]byte
	size    int
}

const (
	// controlSpan is what Session.MaxControl counts for.
	controlSpan = 10 * time.Second
	// answeredPings is how many pings of one batch are answered each; of more only the last is. RFC 6455, 5.5.3.
	answeredPings = 16
)

// watch starts looking whether the peer is there.
func (s *Session) watch() {
	if s.life.timer != nil {
		return
	}
	s.life.last = s.ctx.Loop().Now()
	s.life.timer = s.ctx.After(s.next(0), s.look)
}

func (s *Session) idle() time.Duration { return orDefault(s.Idle, DefaultIdle) }

// pingAfter is PingAfter or its default; 0 = never.
func (s *Session) pingAfter() time.Duration {
	switch {
	case s.PingAfter < 0:
		return 0
	case s.PingAfter == 0:
		return s.idle() / 2
	}
	return s.PingAfter
}

// next is when to look again after so much silence.
func (s *Session) next(silence time.Duration) time.Duration {
	wait := s.idle() - silence
	if after := s.pingAfter(); after > 0 && !s.life.asked {
		wait = min(wait, after-silence)
	}
	return wait
}

// look asks a silent peer whether it is there, and gives up one that does not answer.
func (s *Session) look() {
	if s.closing.over || s.closing.sent {
		return
	}
	if e := s.Encoder; e != nil {
		if e.packed == s.life.packed {
			e.Forget()
		}
		s.life.packed = e.packed
	}
	now := s.ctx.Loop().Now()
	if !s.ctx.Channel().Reading() {
		s.life.last = now // it may have said something that we do not take
	}
	silence := now.Sub(s.life.last)
	after := s.pingAfter()
	switch {
	case silence >= s.idle():
		s.fail(&Error{Code: CodeGoingAway, Reason: "peer is silent", Err: &handlers.TimeoutError{What: "peer is silent", After: s.idle()}})
		return
	case after > 0 && silence >= after && !s.life.asked:
		s.life.asked = true
		if err := s.ctx.Write(newPing(nil)); err != nil {
			s.ctx.FireError(err)
		}
	}
	s.life.timer.Reset(s.next(silence))
}

// alive notes that something came.
func (s *Session) alive() {
	s.life.last = s.ctx.Loop().Now()
	s.life.asked = false
}

// count counts a control frame against the limit and reports whether it was within.
func (s *Session) count() bool {
	b := &s.beats
	if now := s.ctx.Loop().Now(); b.n == 0 || now.Sub(b.since) >= controlSpan {
		b.since, b.n = now, 0
	}
	b.n++
	if b.n > orDefault(s.MaxControl, DefaultMaxControl) {
		s.fail(&Error{Code: CodePolicy, Reason: "too many control frames"})
		return false
	}
	return true
}

// ping answers p now, or at the end of the batch. It takes p.
func (s *Session) ping(p *Ping) {
	b := &s.beats
	b.size = copy(b.payload[:], p.Data)
	p.Release()
	if !s.count() {
		return
	}
	b.waiting = true
	if b.inBatch++; b.inBatch <= answeredPings {
		s.pong()
	}
}

// pong answers the last ping, if that is due and the peer takes it.
func (s *Session) pong() {
	b := &s.beats
	if !b.waiting || s.closing.sent || !s.ctx.Channel().Writable() {
		return
	}
	b.waiting = false
	if err := s.ctx.Write(newPong(b.payload[:b.size])); err != nil {
		s.ctx.FireError(err)
	}
}
