package embedded

import "errors"

// pipeBytes is how many bytes fit between two connected sockets in each direction before writes would block.
const pipeBytes = 64 << 10

// ErrConnected is what Pipe returns when one of the channels is connected or closed already, or both are the same.
var ErrConnected = errors.New("embedded: channel is connected or closed already")

// Pipe connects two channels back to back: what one writes, the other reads, FIN and RST included, with room for 64 KiB
// each way. What they had written before goes over at once. From then on both share one virtual time, the later of the
// two, and whatever runs or advances one does so for both. Each is finished by itself.
func Pipe(a, b *Channel) error {
	for _, c := range []*Channel{a, b} {
		if a == b || c.Socket.peer != nil || c.Socket.closed || c.world.running {
			return ErrConnected
		}
	}
	a.world.join(b.world)
	a.Socket.peer, b.Socket.peer = b.Socket, a.Socket
	a.world.run()
	return nil
}

// join moves everything of o into w.
func (w *world) join(o *world) {
	if o == w {
		return
	}
	if o.now.After(w.now) {
		w.now = o.now
	}
	for _, l := range o.loops {
		l.world.Store(w)
		w.loops = append(w.loops, l)
	}
	for _, c := range o.members {
		c.world = w
	}
	w.members = append(w.members, o.members...)
	o.loops, o.members = nil, nil
}

// deliver carries what the channel wrote to the other end of its pipe.
func (s *Socket) deliver() bool {
	p := s.peer
	if p == nil {
		return false
	}
	if p.closed {
		return s.answerByReset()
	}
	busy := s.Untaken() > 0
	if busy {
		p.receive(s.wire[s.taken:])
		s.DiscardWire()
	}
	switch {
	case p.fin || p.reset:
	case s.byRST || s.closed && s.Unread() > 0: // closing with unread bytes resets, as TCP does
		p.reset, busy = true, true
	case s.finSent || s.closed:
		p.fin, busy = true, true
	}
	return busy
}

// answerByReset is what a closed peer does with bytes that still come.
func (s *Socket) answerByReset() bool {
	if s.reset || s.DiscardWire() == 0 {
		return false
	}
	s.reset = true
	return true
}
