package nethttp

import (
	"io"
	"net/http"
	"os"

	"github.com/penstock-go/penstock/httpx"
)

const (
	unreadLimit = 256 << 10 // octets of a body that the handler has left that are read to keep the connection
	pieceCost   = 128       // octets that a piece counts besides its own, so that many small ones don't cost much
)

// body is the body of a request: the loop adds pieces, the handler reads them. The lock of the call's link guards it.
type body struct {
	c      *call
	pieces []*httpx.Content
	at     int // octets of the first piece that are read
	held   int // octets that wait, with the cost of their pieces
	left   int64
	length bool // left is known

	waits  bool // the client waits for 100 (Continue)
	asked  bool
	paused bool
	ended  bool  // the last piece has come
	err    error // it will not
	eof    bool  // and the handler has seen it
	closed bool
	early  bool  // closed before the end
	over   bool  // the handler has returned
	spare  int64 // octets that are still dropped when it is closed, to keep the connection
}

var _ io.ReadCloser = (*body)(nil)

func (b *body) known(r *http.Request) {
	b.left, b.length, b.eof = r.ContentLength, r.ContentLength >= 0, r.ContentLength == 0
}

// ask begins to take the body. It runs on the event loop.
func (c *call) ask() {
	if err := c.x.OnBody(c.receive); err != nil {
		_ = c.broken(err)
	}
}

// broken says that the body does not go on. The handler finds out and answers. It runs on the event loop.
func (c *call) broken(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.body.err = err
	c.change.Broadcast()
	return nil
}

// receive takes a piece of the body. It runs on the event loop.
func (c *call) receive(piece *httpx.Content) error {
	b := &c.body
	c.mu.Lock()
	if piece.Last {
		b.ended = true
	}
	if b.closed {
		enough, over := b.drop(piece), b.over
		c.mu.Unlock()
		if enough {
			c.stop(over)
		}
		return nil
	}
	b.pieces = append(b.pieces, piece)
	b.held += piece.Len() + pieceCost
	pause := !b.paused && !b.ended && b.held >= highInput
	b.paused = b.paused || pause
	c.change.Broadcast()
	c.mu.Unlock()
	if pause {
		c.x.PauseBody()
	}
	return nil
}

// drop lets a piece go that nobody will read, and reports whether that was too much.
func (b *body) drop(piece *httpx.Content) (enough bool) {
	b.spare -= int64(piece.Len())
	piece.Release()
	return b.spare < 0
}

// stop ends the reading of a body that does not end. When the answer has been given, over, that costs the connection;
// otherwise the answer does. It runs on the event loop.
func (c *call) stop(over bool) {
	c.x.PauseBody()
	if over {
		_ = c.push(0, orderClose) // behind the answer, of which the end may still be on its way
	}
}

// Read gives what has come of the body and waits when that is nothing. The first call tells a client that waits for it
// to go on. Behind a Close, and behind the handler, it returns http.ErrBodyReadAfterClose.
func (b *body) Read(p []byte) (int, error) {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.next(len(p), func(from []byte) int { return copy(p, from) })
}

// next has up to most octets of the body taken by f, and waits for them. It needs the lock, which it gives up while it
// waits.
func (b *body) next(most int, f func(from []byte) int) (int, error) {
	if b.eof {
		return 0, io.EOF
	}
	if err := b.await(most); err != nil || len(b.pieces) == 0 {
		return 0, err
	}
	n := 0
	for len(b.pieces) > 0 && n == 0 {
		piece := b.pieces[0]
		n = f(piece.Bytes()[b.at:])
		b.used(piece, n)
		if n == 0 && most == 0 {
			break
		}
	}
	b.resume()
	if b.eof {
		return n, io.EOF
	}
	return n, nil
}

// await waits for a piece.
func (b *body) await(most int) error {
	c := b.c
	if !b.asked {
		b.asked = true
		if err := c.pushLocked(0, orderBody); err != nil {
			return io.ErrUnexpectedEOF
		}
	}
	for {
		switch {
		case c.readBy.passed():
			return os.ErrDeadlineExceeded
		case len(b.pieces) > 0 || most == 0:
			return nil
		case b.closed:
			return http.ErrBodyReadAfterClose
		case b.err != nil:
			return b.err
		case c.failed != nil:
			return io.ErrUnexpectedEOF
		}
		c.change.Wait()
	}
}

// used takes n octets of the first piece away, and the piece when nothing of it is left.
func (b *body) used(piece *httpx.Content, n int) {
	b.at += n
	b.held -= n
	b.left -= int64(n)
	if b.at < piece.Len() {
		return
	}
	if piece.Last {
		b.eof = true
		if piece.Trailer != nil {
			b.c.req.Trailer = trailerHeader(b.c.req.Trailer, piece.Trailer)
		}
	}
	piece.Release()
	b.pieces[0] = nil
	b.pieces, b.at = b.pieces[1:], 0
	b.held -= pieceCost
}

// resume lets the connection be read again when little enough waits.
func (b *body) resume() {
	if b.paused && b.held < lowInput {
		b.paused = false
		_ = b.c.pushLocked(0, orderResume) // who has left needs none
	}
}

// Close ends the reading. What is left of a body is dropped, if it is not much, so that the connection can go on; like
// net/http it waits for that.
func (b *body) Close() error {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	b.close()
	return nil
}

func (b *body) close() {
	if b.closed {
		return
	}
	if !b.eof && !b.unasked() {
		_ = b.discard(unreadLimit) // what matters is whether the end was met
	}
	b.early = !b.eof
	b.end()
}

// unasked reports whether the client still waits for 100 (Continue).
func (b *body) unasked() bool { return b.waits && !b.asked }

// discard reads and drops up to limit octets. It returns nil at the end of the body, and for one that is too long.
func (b *body) discard(limit int64) error {
	if b.length && b.left > limit {
		return nil
	}
	for dropped := int64(0); !b.eof && dropped <= limit; {
		n, err := b.next(largest, func(from []byte) int { return len(from) })
		dropped += int64(n)
		if err != nil && !b.eof {
			return err
		}
	}
	return nil
}

// end lets the pieces go that nobody will read.
func (b *body) end() {
	b.closed, b.spare = true, unreadLimit
	for _, piece := range b.pieces {
		piece.Release()
	}
	b.pieces, b.held, b.at = nil, 0, 0
	b.resume()
	b.c.change.Broadcast()
}

// leave ends the body behind the handler, and reports whether the connection can go on. What is left of the body is
// dropped as it comes.
func (b *body) leave() bool {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	b.over = true
	if b.closed {
		return !b.early
	}
	b.early = !b.eof && b.length && b.left > unreadLimit
	b.end()
	return !b.early
}

// settle gets the rest of the body out of the way before an answer begins: a client that sends all of its request
// before it reads would wait for ever otherwise. It reports whether the connection can go on behind the answer.
func (b *body) settle() bool {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	switch {
	case b.eof:
		return true
	case b.closed:
		return !b.early
	case b.waits, b.length && b.left >= unreadLimit:
		return false
	}
	if err := b.discard(unreadLimit); err != nil || !b.eof {
		return false
	}
	b.end()
	return true
}
