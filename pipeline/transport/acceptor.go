package transport

import (
	"errors"
	"net"
	"time"
)

// acceptor accepts by the Accept of a net.Listener, on a goroutine of its own: where there is no poller, with
// Server.Goroutines, and from listeners that the user has made. Its counterpart on a loop is the door.
type acceptor struct {
	*reception
	entrances entrances
	engine    *engine
	ln        *listener
	backoff   backoff
	stop      chan struct{} // closed to stop
	done      chan struct{} // closed when nothing more is accepted
	err       error         // after done: why the listener has ended by itself
}

func newAcceptor(r *reception, e *engine, ln *listener) *acceptor {
	return &acceptor{
		reception: r, entrances: entrances{gate: r.gate}, engine: e, ln: ln,
		stop: make(chan struct{}), done: make(chan struct{}),
	}
}

// run accepts until the listener is closed, by shut or by somebody else. When a rule ends the goroutine by
// runtime.Goexit another one goes on.
func (a *acceptor) run() {
	ended := false
	defer func() {
		if !ended {
			go a.run()
			return
		}
		close(a.done)
	}()
	a.err = a.acceptAll()
	ended = true
}

// acceptAll accepts until the end, and gives the error of a listener that has ended by itself.
func (a *acceptor) acceptAll() error {
	for {
		c, err := a.ln.Accept()
		if err == nil {
			a.backoff.worked()
			a.greet(c)
			continue
		}
		select {
		case <-a.stop:
			return nil
		default:
		}
		if errors.Is(err, net.ErrClosed) || a.ln.foreign && !isTemporary(err) {
			return err
		}
		a.acceptErrors.Add(1)
		select {
		case <-a.stop:
			return nil
		case <-time.After(a.backoff.failed(time.Now(), a.logger, a.ln.addr.String(), err)):
		}
	}
}

// greet lets one connection in or turns it away.
func (a *acceptor) greet(c net.Conn) {
	let := false
	defer func() { // a rule may end the goroutine
		if !let {
			abort(c)
			_ = c.Close() // nobody is told
		}
	}()
	if !a.enter(c.RemoteAddr()) {
		return
	}
	let = true
	_ = a.socket.dialed(c) // a connection that is broken already says so at its first read
	a.engine.open(c, a.from, &a.entrances, a.ln.foreign)
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
