package embedded

// Wire takes the bytes that the channel wrote to its socket since the last call. The result is a copy and belongs to the
// caller; it is nil when there are none.
func (s *Socket) Wire() []byte {
	if s.Untaken() == 0 {
		return nil
	}
	p := append([]byte(nil), s.wire[s.taken:]...)
	s.DiscardWire()
	return p
}

// WireString is Wire as a string.
func (s *Socket) WireString() string {
	p := string(s.wire[s.taken:])
	s.DiscardWire()
	return p
}

// AppendWire is Wire into memory of the caller: it appends the bytes to dst and returns the result.
func (s *Socket) AppendWire(dst []byte) []byte {
	dst = append(dst, s.wire[s.taken:]...)
	s.DiscardWire()
	return dst
}

// DiscardWire is Wire without the bytes: it returns their number and allocates nothing.
func (s *Socket) DiscardWire() int {
	n := s.Untaken()
	s.wire, s.taken = s.wire[:0], 0
	return n
}

// Untaken is the number of bytes that Wire would return.
func (s *Socket) Untaken() int { return len(s.wire) - s.taken }

// takeWire takes n bytes off the front of the wire. They are valid until the next write.
func (s *Socket) takeWire(n int) []byte {
	p := s.wire[s.taken : s.taken+n]
	s.taken += n
	if s.taken == len(s.wire) {
		s.DiscardWire() // the room is used again
	}
	return p
}
