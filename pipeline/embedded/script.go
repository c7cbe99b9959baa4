package embedded

// This file is the script: what the peer does besides sending bytes. Each method runs the channel afterwards.

// AcceptBytes lets the peer take n more bytes, after which writes would block; what it took before does not count.
// Calling it again and again is a peer that reads slowly.
func (s *Socket) AcceptBytes(n int) {
	s.room = max(n, 0)
	s.owner.world.run()
}

// Block is AcceptBytes(0): writes would block.
func (s *Socket) Block() { s.AcceptBytes(0) }

// Unblock lets the peer take everything again.
func (s *Socket) Unblock() {
	s.room = unlimited
	s.owner.world.run()
}

// ShortWrites makes each writev take at most n bytes; the socket is writable again at once. 0 = no limit.
func (s *Socket) ShortWrites(n int) {
	s.shortOut = max(n, 0)
	s.owner.world.run()
}

// ShortReads makes each read give at most n bytes. 0 = no limit.
func (s *Socket) ShortReads(n int) {
	s.shortIn = max(n, 0)
	s.owner.world.run()
}

// FINAt makes the peer send FIN after the n-th byte that it sends in all; later bytes are not sent. When more than that
// are sent already it ends now.
func (s *Socket) FINAt(n int) { s.endAt(n, false) }

// ResetAt makes the peer send RST after the n-th byte that it sends in all. The channel reads what came before, but its
// writes fail from then on.
func (s *Socket) ResetAt(n int) { s.endAt(n, true) }

func (s *Socket) endAt(n int, reset bool) {
	s.cutAt, s.cutReset = max(n, s.fed), reset
	s.cut()
	s.owner.world.run()
}

// ResetWriteAt makes the peer take n bytes in all and then send RST: the write that follows fails.
func (s *Socket) ResetWriteAt(n int) {
	s.resetOut = max(n, 0)
	s.owner.world.run()
}

// PeerClose lets the peer send FIN. It still takes bytes.
func (s *Socket) PeerClose() { s.FINAt(s.fed) }

// PeerReset lets the peer send RST.
func (s *Socket) PeerReset() { s.ResetAt(s.fed) }

// PeerLingers says whether the peer keeps its side open after our FIN. By default it sends FIN when the channel is
// closing, so that a close ends at once and not after Options.Linger; it never answers a half-close (CloseWrite).
func (s *Socket) PeerLingers(on bool) {
	s.lingers = on
	s.owner.world.run()
}

// FailWrite makes the next writev fail with err, once.
func (s *Socket) FailWrite(err error) {
	s.writeErr = err
	s.owner.world.run()
}

// FailRead makes the next read fail with err, once.
func (s *Socket) FailRead(err error) {
	s.readErr = err
	s.owner.world.run()
}

// PeerEnded reports whether the peer has sent FIN or RST, so that it can't send more.
func (s *Socket) PeerEnded() bool { return s.fin || s.reset }

// FINSent reports whether the channel has ended its side by FIN.
func (s *Socket) FINSent() bool { return s.finSent }

// Closed reports whether the channel has closed its socket.
func (s *Socket) Closed() bool { return s.closed }

// ResetSent reports whether it closed the socket by RST.
func (s *Socket) ResetSent() bool { return s.byRST }

// Writevs is the number of writev calls so far.
func (s *Socket) Writevs() int { return s.writevs }

// Written is the number of bytes that the peer has taken in all.
func (s *Socket) Written() int { return s.written }

// Interest is what the channel wants to hear of: that the socket is readable, and that it is writable.
func (s *Socket) Interest() (read, write bool) { return s.reads, s.writes }

// Unread is the number of bytes that the peer sent and the channel has not read.
func (s *Socket) Unread() int { return len(s.inbox) - s.read }
