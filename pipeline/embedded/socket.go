package embedded

import (
	"io"
	"net"
	"syscall"

	"github.com/penstock-go/penstock/pipeline"
)

// unlimited stands for "no limit" where a number of bytes is kept.
const unlimited = -1

// Socket is the in-memory socket under a Channel, seen from the peer: what it sends, what it takes, and how it breaks.
// Without a script the peer takes every byte at once, and answers the FIN of a channel that closes by its own FIN.
//
// Call its methods on the goroutine that made the channel.
type Socket struct {
	owner *Channel
	peer  *Socket // the other end of a Pipe

	inbox    []byte // sent by the peer; the part from read on is not read yet
	read     int
	fed      int   // bytes the peer has sent in all
	cutAt    int   // the peer ends after so many bytes; unlimited: it doesn't
	cutReset bool  // it ends by RST and not by FIN
	fin      bool  // the peer's FIN is behind the inbox
	reset    bool  // the peer's RST is behind the inbox
	shortIn  int   // most bytes per read; 0: no limit
	lingers  bool  // the peer does not answer our FIN
	readErr  error // what the next read fails with

	wire     []byte // written and not taken yet, from taken on
	taken    int
	written  int   // bytes written in all
	room     int   // bytes that the peer still takes
	shortOut int   // most bytes per writev; 0: no limit
	resetOut int   // RST after so many written bytes
	writeErr error // what the next writev fails with
	writevs  int

	reads, writes  bool // what the channel wants to hear of
	finSent        bool
	closed, byRST  bool
	local, distant net.Addr
}

func newSocket(owner *Channel, cfg Config) *Socket {
	return &Socket{
		owner: owner, cutAt: unlimited, room: unlimited, resetOut: unlimited,
		local: cfg.LocalAddr, distant: cfg.RemoteAddr,
	}
}

// transport is a Socket seen from the channel. It is no pipeline.FileSender, so files are sent by reading them.
type transport struct{ s *Socket }

var (
	_ pipeline.Transport = (*transport)(nil)
	_ pipeline.Addresser = (*transport)(nil)
)

// Read gives what the peer has sent.
func (t *transport) Read(p []byte) (int, error) {
	s := t.s
	if err := s.readErr; err != nil {
		s.readErr = nil
		return 0, err
	}
	if left := s.inbox[s.read:]; len(left) > 0 && len(p) > 0 {
		if s.shortIn > 0 && len(p) > s.shortIn {
			p = p[:s.shortIn]
		}
		n := copy(p, left)
		s.read += n
		if s.read == len(s.inbox) {
			s.inbox, s.read = s.inbox[:0], 0
		}
		return n, nil
	}
	switch {
	case s.reset:
		return 0, syscall.ECONNRESET
	case s.fin:
		return 0, io.EOF
	}
	return 0, pipeline.ErrWouldBlock
}

// Writev puts what the peer takes on the wire.
func (t *transport) Writev(pieces [][]byte) (int, error) {
	s := t.s
	s.writevs++
	if err := s.writeFailure(); err != nil {
		return 0, err
	}
	limit := s.mayTake()
	if s.shortOut > 0 && (limit < 0 || limit > s.shortOut) {
		limit = s.shortOut
	}
	n := 0
	for _, p := range pieces {
		if limit >= 0 && len(p) > limit-n {
			p = p[:limit-n]
		}
		s.wire = append(s.wire, p...)
		n += len(p)
	}
	s.written += n
	if s.room > 0 {
		s.room -= n
	}
	if n == 0 {
		return 0, pipeline.ErrWouldBlock
	}
	return n, nil
}

// writeFailure is what a write fails with before it takes a byte.
func (s *Socket) writeFailure() error {
	switch {
	case s.writeErr != nil:
		err := s.writeErr
		s.writeErr = nil
		return err
	case s.finSent || s.closed:
		return syscall.EPIPE
	case s.resetOut >= 0 && s.written >= s.resetOut:
		s.reset = true
		return syscall.ECONNRESET
	case s.reset:
		return syscall.ECONNRESET
	}
	return nil
}

// mayTake is how many bytes the peer takes now, or unlimited.
func (s *Socket) mayTake() int {
	n := s.room
	if s.peer != nil {
		n = least(n, max(pipeBytes-s.peer.Unread()-s.Untaken(), 0))
	}
	if s.resetOut >= 0 {
		n = least(n, s.resetOut-s.written)
	}
	return n
}

// least is the smaller limit.
func least(a, b int) int {
	if a < 0 || b < 0 {
		return max(a, b)
	}
	return min(a, b)
}

// SetInterest keeps what the channel wants to hear of.
func (t *transport) SetInterest(read, write bool) error {
	t.s.reads, t.s.writes = read, write
	return nil
}

// CloseWrite sends FIN.
func (t *transport) CloseWrite() error {
	t.s.finSent = true
	return nil
}

// Close closes the socket. What was not read is gone, as on a real one.
func (t *transport) Close(reset bool) error {
	s := t.s
	s.closed, s.byRST = true, reset
	s.reads, s.writes = false, false
	return nil
}

// LocalAddr is Config.LocalAddr.
func (t *transport) LocalAddr() net.Addr { return t.s.local }

// RemoteAddr is Config.RemoteAddr.
func (t *transport) RemoteAddr() net.Addr { return t.s.distant }
