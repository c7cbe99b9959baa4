package server

import (
	"time"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
)

// pause is a time in which a session's client should not publish.
type pause struct {
	broker *broker.Pause
	resume func()          // Session.resume, posted
	timer  *pipeline.Timer // see Pause
}

// settleEvery is how long a session does not read while others wait for its acknowledgements, so that those that pause do not
// wait for each other, or for themselves.
const settleEvery = 100 * time.Millisecond

// Pause stops reading until the destinations of p have room again; nil does nothing. A client that has to acknowledge before
// there is room, here or where others publish, is only slowed down. It is for a Config.Publish that publishes to a broker:
// without that hook the session calls it itself. It takes p. Call it on the event loop only.
func (s *Session) Pause(p *broker.Pause) {
	if p == nil || s.phase != phaseOpen {
		return
	}
	s.counts.pauses++
	s.pause.cancel()
	s.hold(holdBroker)
	if s.pause.resume == nil {
		s.pause.resume = func() { s.post(s.goOn) }
	}
	s.pause.broker = p
	p.OnResume(s.pause.resume)
	switch {
	case !s.subs.explicit():
	case s.pause.timer == nil:
		s.pause.timer = s.ctx.After(settleEvery, s.unlock)
	default:
		s.pause.timer.Reset(settleEvery)
	}
}

// unlock ends the pause when others wait for this client, which may have come about since.
func (s *Session) unlock() {
	if s.subs.holdUp() {
		s.goOn()
		return
	}
	s.pause.timer.Reset(settleEvery)
}

// goOn ends the pause.
func (s *Session) goOn() {
	s.pause.cancel()
	s.letGo(holdBroker)
}

// cancel forgets the pause. Whoever calls it knows whether to read on.
func (p *pause) cancel() {
	if p.broker != nil {
		p.broker.Cancel()
		p.broker = nil
	}
	p.timer.Stop()
}
