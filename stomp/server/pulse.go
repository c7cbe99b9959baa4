package server

import (
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// pulse is the heart-beats of one session, both ways, on one timer. Any octet is a sign of life, so the channel's counters,
// or those of a meter, tell everything, and nothing is done per frame. STOMP 1.2, "Heart-beating".
type pulse struct {
	in, out       time.Duration // the negotiated intervals, 0 = none
	tick          time.Duration
	timer         *pipeline.Timer
	read, written uint64    // the counters at the latest tick
	ticked        time.Time // when that was
	heard, spoke  time.Time // when octets came and went at the latest; spoke is rather too early than too late
}

// startPulse starts what both sides agree on.
func (s *Session) startPulse(client stomp.HeartBeat) {
	in, out := stomp.NegotiateHeartBeat(client, s.cfg.HeartBeat)
	if in == 0 && out == 0 {
		return
	}
	now := s.ctx.Loop().Now()
	p := &pulse{in: in, out: out, ticked: now, heard: now, spoke: now}
	p.tick = max(in, out) / 2
	for _, d := range []time.Duration{in / 2, out * 2 / 5} {
		if d > 0 {
			p.tick = min(p.tick, d)
		}
	}
	p.tick = max(p.tick, time.Millisecond)
	p.read, p.written = s.received(), s.sent()
	s.pulse = p
	p.timer = s.ctx.After(p.tick, s.beat)
}

// stop ends the heart-beats. It may be called on nil.
func (p *pulse) stop() {
	if p != nil {
		p.timer.Stop()
	}
}

// beat is one tick.
func (s *Session) beat() {
	p, now := s.pulse, s.ctx.Loop().Now()
	if s.phase != phaseOpen {
		return
	}
	if p.in > 0 && !s.alive(now) {
		s.fail("", false, "no heart-beat in time")
		return
	}
	if p.out > 0 {
		s.speak(now)
	}
	p.ticked = now
	p.timer.Reset(p.tick)
}

// alive reports whether the client was heard in time. While we ourselves do not read nobody can be heard.
func (s *Session) alive(now time.Time) bool {
	p := s.pulse
	if n := s.received(); n != p.read || !s.ctx.Channel().Reading() {
		p.read, p.heard = n, now
		return true
	}
	return now.Sub(p.heard) < time.Duration(float64(p.in)*s.cfg.Tolerance)
}

// speak sends a line end when nothing else goes out and one tick more would be too late.
func (s *Session) speak(now time.Time) {
	p, n := s.pulse, s.sent()
	if n != p.written {
		p.written, p.spoke = n, p.ticked // it may have been right after the last tick
	}
	if s.ctx.Channel().Pending() > 0 || now.Add(p.tick).Sub(p.spoke) < p.out-p.out/20 {
		return
	}
	if s.ctx.Write(&stomp.EOL{}) == nil {
		p.spoke = now
		p.written = n + 1 // octets of its own are no reason to speak early
	}
}
