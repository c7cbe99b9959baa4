package server

import (
	"strings"
	"unicode"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// write sends a frame of the session's own. A frame that is refused is not an error of its own: either the channel is going
// down, or the frame can't be encoded, and then the session ends without it.
func (s *Session) write(f *stomp.Frame) {
	if err := s.ctx.Write(f); err != nil && s.ctx.Channel().IsOpen() {
		s.phase = phaseGone
		s.stopAll()
		s.ctx.Close()
	}
}

// refuse answers f by ERROR and ends the session. STOMP 1.2, "ERROR".
func (s *Session) refuse(f *stomp.Frame, problem string) {
	id, asked := f.Headers.Lookup(stomp.HeaderReceipt)
	s.fail(id, asked, problem)
}

// fail ends the session by ERROR, behind what still has to be answered. headers are further names and values.
func (s *Session) fail(receipt string, asked bool, problem string, headers ...string) {
	e := stomp.NewFrame(stomp.CommandError, stomp.HeaderMessage, oneLine(problem))
	for i := 0; i < len(headers); i += 2 {
		e.Headers.Add(headers[i], headers[i+1])
	}
	if asked {
		e.Headers.Add(stomp.HeaderReceiptID, strings.Clone(receipt))
	}
	e.Headers.Add(stomp.HeaderContentType, "text/plain")
	e.Body.AppendString(problem + "\n")
	s.end(e)
}

// maxMessage is how much of a problem stands in the message header; the body has all of it.
const maxMessage = 256

// oneLine makes a text fit for a header in every version.
func oneLine(text string) string {
	line := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if len(line) > maxMessage {
		line = strings.ToValidUTF8(line[:maxMessage], "")
	}
	return line
}

// disconnect ends the session in good order. STOMP 1.2, "DISCONNECT".
func (s *Session) disconnect(f *stomp.Frame) {
	var receipt *stomp.Frame
	if id, asked := f.Headers.Lookup(stomp.HeaderReceipt); asked {
		receipt = stomp.NewFrame(stomp.CommandReceipt, stomp.HeaderReceiptID, strings.Clone(id))
	}
	s.end(receipt)
}

// end stops everything, and leaves with last, which may be nil, when all that was received before has been answered.
func (s *Session) end(last *stomp.Frame) {
	if s.phase >= phaseLeaving {
		if last != nil {
			last.Release()
		}
		return
	}
	s.phase = phaseLeaving
	s.hold(holdEnd)
	s.stopAll()
	if s.answers.head == nil {
		s.leave(last)
		return
	}
	s.answers.push(&answer{final: true, frame: last})
	s.answers.deadline = s.ctx.After(s.cfg.DrainWait, s.lateEnd)
}

// lateEnd leaves although Publish has not answered everything.
func (s *Session) lateEnd() {
	for s.answers.head != nil {
		a := s.answers.pop()
		if a.final {
			s.leave(a.frame)
			return
		}
		a.forget()
	}
}

// leave writes the last frame and closes; the close lingers, so that the peer can read it.
func (s *Session) leave(last *stomp.Frame) {
	s.phase = phaseGone
	s.answers.deadline.Stop()
	if last != nil {
		_ = s.ctx.Write(last) // the channel closes in any case
	}
	s.letGo(holdAll) // layers below may have to read before they can close, a WebSocket's handshake for example
	closes := s.answers.closes
	s.answers.closes = nil
	if len(closes) == 0 {
		s.ctx.Close()
		return
	}
	for _, c := range closes {
		s.ctx.CloseWith(c.how, c.promise)
	}
}

// stopAll ends deliveries and transactions. What is being written still counts as accepted when it was.
func (s *Session) stopAll() {
	s.pulse.stop()
	s.pause.cancel()
	s.txs.abortAll()
	for sub := range s.subs.all() {
		sub.stop()
	}
}

// HandleClose keeps an orderly close waiting for Publish. A connection that drains, which may take long, takes nothing more.
func (s *Session) HandleClose(ctx *pipeline.Context, how pipeline.CloseMode, p *pipeline.Promise) error {
	if how != pipeline.CloseDrain || s.answers.head == nil {
		if s.phase < phaseGone {
			s.phase = phaseGone
			s.stopAll()
			s.letGo(holdAll)
		}
		return ctx.ForwardClose(how, p)
	}
	s.answers.closes = append(s.answers.closes, heldClose{how, p})
	s.end(nil)
	return nil
}

// HandleEvent tells the client that the server stops, when what it sent before has been answered.
func (s *Session) HandleEvent(ctx *pipeline.Context, event any) error {
	if _, ok := event.(pipeline.ShutdownEvent); ok && s.phase == phaseOpen {
		s.fail("", false, "the server is shutting down")
	}
	ctx.FireEvent(event)
	return nil
}
