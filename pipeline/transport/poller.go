//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"errors"
	"fmt"

	liberrors "github.com/panjf2000/gnet/v2/pkg/errors"
	"github.com/panjf2000/gnet/v2/pkg/netpoll"
)

// poller is the system's notification of ready descriptors, as the library has it. The files poller*.go
// are the only ones that know the library, whose packages are public but not promised stable.
//
// Its methods are for the loop's goroutine, and for the one that makes the loop before it runs.
type poller struct {
	lib  *netpoll.Poller
	call func(fd int, r readiness) (stop bool)
	pads pads
}

// readiness is what an event says about a descriptor. It is a hint: the system call that follows decides.
type readiness uint8

const (
	readable readiness = 1 << iota
	writable
	broken // an error, or both directions have ended
	ended  // the peer sends no more
)

// openPoller makes a poller that reports to call.
func openPoller(call func(fd int, r readiness) (stop bool)) (*poller, error) {
	lib, err := netpoll.OpenPoller()
	if err != nil {
		return nil, fmt.Errorf("transport: opening a poller: %w", err)
	}
	return &poller{lib: lib, call: call}, nil
}

// watchEdges reports fd each time that something new can be read from it, once.
func (p *poller) watchEdges(fd int) error { return p.lib.AddRead(p.pads.of(fd, p.event), true) }

// forget reports nothing more about fd. Closing a descriptor does the same, unless it has duplicates.
func (p *poller) forget(fd int) error { return p.lib.Delete(fd) }

// event is the library's callback.
func (p *poller) event(fd int, event netpoll.IOEvent, flags netpoll.IOFlags) error {
	if p.call(fd, readinessOf(event, flags)) {
		return liberrors.ErrEngineShutdown
	}
	return nil
}

// run reports events until the callback says stop (nil), or the system fails. When the callback ends the
// goroutine, another may call run.
func (p *poller) run() error {
	if err := p.polling(); err != nil && !errors.Is(err, liberrors.ErrEngineShutdown) {
		return fmt.Errorf("transport: polling: %w", err)
	}
	return nil
}

// close releases the poller.
func (p *poller) close() error { return p.lib.Close() }
