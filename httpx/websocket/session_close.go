package websocket

import (
	"errors"
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
)

// closing is how far the close handshake has come. RFC 6455, 7.
type closing struct {
	sent      bool // our Close frame is on its way
	received  bool // the peer's has come
	over      bool // nothing is waited for any more: closes pass
	told      bool // CloseEvent was fired
	dropping  bool // inbound data is of no use to anybody
	goingAway bool
	held      []*pipeline.Promise // of closes that wait
	deadline  *pipeline.Timer
}

// HandleClose lets the close handshake go before the channel closes.
func (s *Session) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	c := &s.closing
	switch {
	case c.over || how == pipeline.CloseNow || how == pipeline.CloseReset || !ctx.Channel().Active():
		c.over = true
		c.deadline.Stop()
		return ctx.ForwardClose(how, p)
	case how == pipeline.CloseWrite && c.sent:
		if p != nil {
			p.Succeed()
		}
		return nil
	case how == pipeline.CloseWrite:
		return s.writeClose(&Close{Code: s.code()}, p)
	}
	c.dropping = true
	if p != nil {
		c.held = append(c.held, p)
	}
	ctx.SetAutoRead(true) // whoever has stopped reading gets nothing more, but the peer's Close frame must come
	if !c.sent {
		s.send(&Close{Code: s.code()})
	}
	return nil
}

// code is why this end closes.
func (s *Session) code() Code {
	switch {
	case s.ctx.Channel().Cause() != nil:
		return CodeInternal
	case s.closing.goingAway:
		return CodeGoingAway
	}
	return CodeNormal
}

// writeClose sends a Close frame for somebody who wants to know.
func (s *Session) writeClose(c *Close, p *pipeline.Promise) error {
	if s.closing.sent {
		return ErrCloseSent
	}
	if err := c.check(); err != nil {
		return err
	}
	own := p == nil
	if own {
		p = s.ctx.NewPromise()
	}
	p.OnDone(s.closeSent)
	s.closing.sent = true
	err := s.ctx.Forward(c, p)
	if err != nil {
		s.closing.sent = false
		if own {
			p.Fail(err)
		}
	}
	return err
}

// send sends a Close frame; when that is not possible there is no handshake.
func (s *Session) send(c *Close) {
	if err := s.writeClose(c, nil); err != nil {
		s.closing.sent = true
		s.finish(pipeline.CloseNow)
	}
}

// closeSent starts the time that the peer has to answer: our frame has left, however much was queued before it.
func (s *Session) closeSent(err error) {
	if err == nil && !s.closing.over && !s.closing.received {
		s.expect()
	}
}

// expect gives the peer the time until the next step of the handshake.
func (s *Session) expect() {
	within := orDefault(s.CloseWithin, DefaultCloseWithin)
	if s.closing.deadline == nil {
		s.closing.deadline = s.ctx.After(within, func() { s.late(within) })
		return
	}
	s.closing.deadline.Reset(within)
}

// late gives up waiting.
func (s *Session) late(within time.Duration) {
	if s.closing.received { // and the server did not close
		s.finish(pipeline.CloseDrain)
		return
	}
	s.tell(CloseEvent{Code: CodeAbnormal, Err: &handlers.TimeoutError{What: "no Close frame of the peer", After: within}})
	s.finish(pipeline.CloseNow)
}

// peerCloses answers the peer's Close frame, or ends the handshake that we have begun.
func (s *Session) peerCloses(m *Close) {
	c := &s.closing
	c.received, c.dropping = true, true
	began := !c.sent
	if began {
		answer := &Close{Code: m.Code}
		if m.Code == CodeNone {
			answer.Code = 0
		}
		s.send(answer)
	}
	s.tell(CloseEvent{Code: m.Code, Reason: m.Reason, Remote: began, Clean: true})
	if s.Client && !c.over {
		s.expect()
		return
	}
	s.finish(pipeline.CloseDrain)
}

// tell fires the CloseEvent, once.
func (s *Session) tell(e CloseEvent) {
	if !s.closing.told {
		s.closing.told = true
		s.ctx.FireEvent(e)
	}
}

// finish closes the channel: nothing is waited for any more.
func (s *Session) finish(how pipeline.CloseMode) {
	c := &s.closing
	c.over = true
	c.deadline.Stop()
	held := c.held
	c.held = nil
	s.ctx.CloseWith(how, nil)
	for _, p := range held {
		s.ctx.CloseWith(how, p)
	}
}

// fail gives the connection up: the peer is told why, and not waited for. RFC 6455, 7.1.7.
func (s *Session) fail(e *Error) {
	c := &s.closing
	if c.over {
		return
	}
	c.dropping = true
	if !c.sent {
		s.send(&Close{Code: e.Code, Reason: e.Reason})
	}
	s.tell(CloseEvent{Code: e.Code, Reason: e.Reason, Err: e})
	s.finish(pipeline.CloseDrain)
}

// HandleError gives the connection up when a frame can't be read. Other errors pass.
func (s *Session) HandleError(_ *pipeline.Context, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Code == CodeAbnormal { // the peer has ended its side, which is about to be told
		s.tell(CloseEvent{Code: CodeAbnormal, Err: err})
		return nil
	}
	s.fail(e)
	return nil
}

// HandleReadClosed ends the connection: without the peer there is no handshake.
func (s *Session) HandleReadClosed(ctx *pipeline.Context) error {
	s.tell(CloseEvent{Code: CodeAbnormal})
	s.closing.over = true
	ctx.FireReadClosed()
	if ctx.Channel().IsOpen() {
		s.finish(pipeline.CloseDrain)
	}
	return nil
}

// HandleInactive says how the connection ended if nobody has, then passes on.
func (s *Session) HandleInactive(ctx *pipeline.Context) error {
	s.stop()
	s.tell(CloseEvent{Code: CodeAbnormal, Err: ctx.Channel().Cause()})
	s.release()
	ctx.FireInactive()
	return nil
}

// HandleRemoved stops everything; closes that wait pass.
func (s *Session) HandleRemoved(ctx *pipeline.Context) error {
	s.stop()
	s.closing.over = true
	if ctx.Channel().IsOpen() && len(s.closing.held) > 0 {
		s.finish(pipeline.CloseDrain)
	}
	s.release()
	return nil
}

// release completes closes that waited when the channel closed otherwise.
func (s *Session) release() {
	for _, p := range s.closing.held {
		p.Succeed()
	}
	s.closing.held = nil
}

func (s *Session) stop() {
	s.closing.deadline.Stop()
	s.life.timer.Stop()
}
