package server

// hold is why a session does not read; reasons add up.
type hold uint8

const (
	holdLogin   hold = 1 << iota // Authenticate has not answered
	holdBroker                   // a destination is more than half full
	holdAnswers                  // too many frames wait for Publish
	holdEnd                      // nothing more is processed

	holdAll = holdLogin | holdBroker | holdAnswers | holdEnd
)

// hold stops reading; the decoder stops behind the frame at hand.
func (s *Session) hold(why hold) {
	if s.holds == 0 {
		s.ctx.SetAutoRead(false)
	}
	s.holds |= why
}

// letGo takes a reason back and goes on reading when it was the last.
func (s *Session) letGo(why hold) {
	if s.holds&why == 0 {
		return
	}
	s.holds &^= why
	if s.holds == 0 {
		s.ctx.SetAutoRead(true)
	}
}
