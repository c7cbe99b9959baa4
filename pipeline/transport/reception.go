package transport

import (
	"errors"
	"log/slog"
	"net"
	"time"
)

// reception is what all listeners of one server have in common.
type reception struct {
	*gate
	from   *origin
	socket *SocketOptions
	logger *slog.Logger
}

// acceptor accepts from a net.Listener on a goroutine: where there is no poller, and from listeners that
// the user has made.
type acceptor struct {
	*reception
	engine *engine
	ln     *listener
	stop   chan struct{} // closed to stop
	done   chan struct{} // closed when nothing more is accepted
	err    error         // after done: why the listener has ended by itself
}

// run accepts until the listener is closed, by shut or by somebody else.
func (a *acceptor) run() {
	defer close(a.done)
	var b backoff
	for {
		c, err := a.ln.Accept()
		if err == nil {
			b.worked()
			a.greet(c)
			continue
		}
		select {
		case <-a.stop:
			return
		default:
		}
		if errors.Is(err, net.ErrClosed) || a.ln.foreign && !isTemporary(err) {
			a.err = err
			return
		}
		a.acceptErrors.Add(1)
		select {
		case <-a.stop:
			return
		case <-time.After(b.failed(time.Now(), a.logger, a.ln.addr.String(), err)):
		}
	}
}

// greet lets one connection in or turns it away.
func (a *acceptor) greet(c net.Conn) {
	if !a.enter(c.RemoteAddr()) {
		abort(c)
		_ = c.Close() // nobody is told
		return
	}
	_ = a.socket.dialed(c) // a connection that is broken already says so at its first read
	a.engine.open(c, a.from, a.gate)
}

// shut stops accepting and waits for the connection that is being accepted.
func (a *acceptor) shut() {
	close(a.stop)
	a.ln.shut()
	<-a.done
}

// isTemporary reports errors after which a listener may work again. Of foreign listeners nothing else is
// known.
func isTemporary(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}
