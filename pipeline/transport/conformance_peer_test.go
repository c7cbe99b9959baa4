package transport_test

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// patience is how long anything may take.
const patience = 20 * time.Second

// kernelBuffer is the size of our send buffer, so that a peer that does not read is felt soon. The peer's receive
// buffer stays: making one smaller after the handshake stops both directions when it is full.
const kernelBuffer = 256 << 10

// connPeer is a peer over a net.Conn. What it sends is written by a goroutine of its own.
type connPeer struct {
	t    *testing.T
	conn net.Conn

	mu    sync.Mutex
	more  sync.Cond
	queue []func() // writes and closes
	ended bool
	done  sync.WaitGroup
}

func newConnPeer(t *testing.T, conn net.Conn) *connPeer {
	t.Helper()
	p := &connPeer{t: t, conn: conn}
	p.more.L = &p.mu
	p.done.Go(p.work)
	return p
}

// innermost is the connection under a TLS connection.
func innermost(c net.Conn) net.Conn {
	if outer, ok := c.(interface{ NetConn() net.Conn }); ok {
		return innermost(outer.NetConn())
	}
	return c
}

func (p *connPeer) work() {
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && !p.ended {
			p.more.Wait()
		}
		if p.ended {
			p.mu.Unlock()
			return
		}
		next := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		next()
	}
}

func (p *connPeer) add(f func()) {
	p.mu.Lock()
	p.queue = append(p.queue, f)
	p.mu.Unlock()
	p.more.Signal()
}

// stop ends the peer, whatever it is doing.
func (p *connPeer) stop() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.more.Signal()
	_ = innermost(p.conn).Close()
	_ = p.conn.Close()
	p.done.Wait()
}

func (p *connPeer) send(s string) {
	p.add(func() { _, _ = io.WriteString(p.conn, s) }) // the channel may be closed by then
}

func (p *connPeer) recv(n int) string {
	p.t.Helper()
	b := make([]byte, n)
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	n, err := io.ReadFull(p.conn, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		p.t.Errorf("peer: %d of %d bytes, then %v", n, len(b), err)
	}
	return string(b[:n])
}

func (p *connPeer) recvAll() (string, error) {
	_ = p.conn.SetReadDeadline(time.Now().Add(patience))
	b, err := io.ReadAll(p.conn)
	return string(b), err
}

func (p *connPeer) closeWrite() {
	p.add(func() { _ = p.conn.(interface{ CloseWrite() error }).CloseWrite() })
}

func (p *connPeer) close() { p.add(func() { _ = p.conn.Close() }) }

func (p *connPeer) reset() {
	p.add(func() {
		inner := innermost(p.conn)
		switch c := inner.(type) {
		case *net.TCPConn:
			_ = c.SetLinger(0)
		case *net.UnixConn: // closing with unread bytes is what resets here, see refuse
		}
		_ = inner.Close()
	})
}

// refuse closes while bytes of the channel are unread: the kernel answers by a reset.
func (p *connPeer) refuse(s string) {
	p.send(s)
	p.add(func() { _ = innermost(p.conn).Close() })
}
