package embedded

import "syscall"

// drive does for one socket what a poller does for a real one, and reports whether there was something to do.
func (c *Channel) drive() bool {
	s := c.Socket
	busy := s.deliver()
	if s.closed {
		return busy
	}
	if s.finSent && !s.fin && !s.lingers && s.peer == nil && !c.ch.IsOpen() {
		s.fin = true
		busy = true
	}
	switch {
	case s.reads && s.readable():
		c.ch.ReadReady()
		busy = true
	case s.reset && !s.reads:
		c.ch.Failed(syscall.ECONNRESET) // a poller reports it also while reading is paused
		busy = true
	}
	return c.driveWrites() || busy
}

// driveWrites is the part of drive that is about writing.
func (c *Channel) driveWrites() bool {
	s := c.Socket
	if !s.writes || s.closed || !s.writable() {
		return false
	}
	c.ch.WriteReady()
	return true
}

// onlyReadable reports the most frequent case: there are bytes to read, and drive would do nothing but that and
// driveWrites.
func (s *Socket) onlyReadable() bool {
	return len(s.inbox) > s.read && s.reads && s.peer == nil && !s.closed && !s.finSent
}

func (s *Socket) readable() bool { return s.Unread() > 0 || s.fin || s.reset || s.readErr != nil }

func (s *Socket) writable() bool {
	return s.mayTake() != 0 || s.writeErr != nil || s.reset || s.finSent || s.resetOut >= 0 && s.written >= s.resetOut
}

// receive takes what the peer sends, up to the byte after which it was told to end.
func (s *Socket) receive(p []byte) {
	s.compact()
	s.inbox = append(s.inbox, p[:s.beforeCut(len(p))]...)
	s.cut()
}

func (s *Socket) receiveString(p string) {
	s.compact()
	s.inbox = append(s.inbox, p[:s.beforeCut(len(p))]...)
	s.cut()
}

// compact reuses the room of bytes that were read instead of growing.
func (s *Socket) compact() {
	if s.read > 0 && s.read >= len(s.inbox)/2 {
		s.inbox = s.inbox[:copy(s.inbox, s.inbox[s.read:])]
		s.read = 0
	}
}

// beforeCut counts n more bytes and returns how many of them come before the peer's end.
func (s *Socket) beforeCut(n int) int {
	if s.cutAt >= 0 {
		n = min(n, s.cutAt-s.fed)
	}
	s.fed += n
	return n
}

// cut ends the peer's stream when its byte is reached.
func (s *Socket) cut() {
	if s.cutAt < 0 || s.fed < s.cutAt {
		return
	}
	if s.cutReset {
		s.reset = true
	} else {
		s.fin = true
	}
}
