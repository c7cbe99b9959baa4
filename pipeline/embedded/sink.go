package embedded

// sink keeps for a channel what its pipeline would drop.
type sink Channel

// outgoing is a message that reached the head and is not bytes.
type outgoing struct {
	msg any
	at  uint64 // bytes of the outbound stream in front of it
}

// Unread keeps a message that reached the tail.
func (s *sink) Unread(msg any) bool {
	s.in.push(msg)
	return true
}

// Untaken keeps a user event that reached the tail.
func (s *sink) Untaken(event any) bool {
	s.events = append(s.events, event)
	return true
}

// Uncaught records an error that no handler dealt with.
func (s *sink) Uncaught(err error) bool {
	(*Channel)(s).record(err)
	return true
}

// Unencoded keeps a message that reached the head and is not bytes.
func (s *sink) Unencoded(msg any) bool {
	s.out.push(outgoing{msg: msg, at: s.ch.BytesWritten() + uint64(s.ch.Pending())})
	return true
}
