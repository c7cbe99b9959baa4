package httpx

import (
	"context"
	"sync"

	"github.com/penstock-go/penstock/pipeline"
)

// clientPool is the connections of a Client, and the calls that wait for one. All of it is guarded by mu, which is held
// for a few steps only and never while something is called that could wait.
type clientPool struct {
	mu     sync.Mutex
	hosts  map[string]*clientHost
	conns  map[*clientConn]struct{} // that are open and the client's
	idle   idleList                 // of all hosts
	closed bool
	dials  context.Context // parent of all dials
	stop   context.CancelFunc
}

// clientHost is one host and port. It is in the pool while it has connections or calls.
type clientHost struct {
	key     string
	idle    []*clientConn // newest last
	open    int           // connections, and dials under way
	dialing int           // dials under way for those that wait
	waiting callQueue
}

// address is what is dialed, and whether by DialTLS.
func (h *clientHost) address() (address string, secure bool) {
	if len(h.key) > len(secureKey) && h.key[:len(secureKey)] == secureKey {
		return h.key[len(secureKey):], true
	}
	return h.key[len(plainKey):], false
}

// enter finds the host with that key. The pool is locked.
func (p *clientPool) enter(key []byte) (*clientHost, error) {
	if p.closed {
		return nil, ErrClientClosed
	}
	if p.hosts == nil {
		p.hosts, p.conns = map[string]*clientHost{}, map[*clientConn]struct{}{}
		p.dials, p.stop = context.WithCancel(context.Background())
	}
	h := p.hosts[string(key)]
	if h == nil {
		h = &clientHost{key: string(key)}
		p.hosts[h.key] = h
	}
	return h, nil
}

// remember returns the host of call, which may have been forgotten meanwhile. The pool is locked.
func (p *clientPool) remember(call *Call) *clientHost {
	h := p.hosts[call.host.key]
	if h == nil {
		h = call.host
		p.hosts[h.key] = h
	}
	call.host = h
	return h
}

// leave forgets a host that has nothing. The pool is locked.
func (p *clientPool) leave(h *clientHost) {
	if h.open == 0 && h.waiting.n == 0 && p.hosts[h.key] == h {
		delete(p.hosts, h.key)
	}
}

// take takes an unused connection to h, nil = there is none: one on that loop when there is a choice, else the one that
// was used last. The pool is locked.
func (p *clientPool) take(h *clientHost, loop *pipeline.Loop) *clientConn {
	last := len(h.idle) - 1
	if last < 0 {
		return nil
	}
	best := h.idle[last]
	for i := last; i >= 0 && loop != nil; i-- {
		if h.idle[i].loop() == loop {
			best = h.idle[i]
			break
		}
	}
	p.unuse(best)
	return best
}

// unuse takes conn out of the unused ones and reports whether it was among them. The pool is locked.
func (p *clientPool) unuse(conn *clientConn) bool {
	if !p.idle.remove(conn) {
		return false
	}
	h := conn.host
	for i := len(h.idle) - 1; i >= 0; i-- {
		if h.idle[i] == conn {
			h.idle = append(h.idle[:i], h.idle[i+1:]...)
			break
		}
	}
	return true
}

// put keeps conn unused and returns those that are too many then; nil = none. The pool is locked.
func (p *clientPool) put(conn *clientConn, perHost, all int) (surplus [2]*clientConn) {
	h := conn.host
	if len(h.idle) >= perHost {
		surplus[0] = h.idle[0]
		p.unuse(surplus[0])
	}
	if p.idle.n >= all {
		surplus[1] = p.idle.oldest
		p.unuse(surplus[1])
	}
	h.idle = append(h.idle, conn)
	p.idle.add(conn)
	return surplus
}

// drop takes conn out of the pool for good, because of err, and returns the call that it was going to serve, nil = none.
// The pool is locked.
func (p *clientPool) drop(conn *clientConn, err error) *Call {
	conn.gone = err
	p.unuse(conn)
	next := conn.next
	conn.next = nil
	if _, counted := p.conns[conn]; counted {
		delete(p.conns, conn)
		conn.host.open--
	}
	return next
}

// close ends the pool and returns what is in it.
func (p *clientPool) close() (conns []*clientConn, calls []*Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		p.stop()
	}
	p.closed = true
	for conn := range p.conns {
		p.unuse(conn)
		conns = append(conns, conn)
	}
	for _, h := range p.hosts {
		for call := h.waiting.pop(); call != nil; call = h.waiting.pop() {
			calls = append(calls, call)
		}
	}
	return conns, calls
}

// isClosed reports whether the client has been closed.
func (p *clientPool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// withdraw takes call out of those that wait and reports whether it was among them; otherwise it returns the connection
// that was last given to it.
func (p *clientPool) withdraw(call *Call) (conn *clientConn, waited bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := call.host; h != nil && h.waiting.remove(call) {
		p.leave(h)
		return nil, true
	}
	return call.assigned, false
}
