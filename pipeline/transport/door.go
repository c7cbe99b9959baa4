//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"golang.org/x/sys/unix"
)

// door is a listening descriptor on an event loop, which accepts when the poller says that somebody waits. Its
// counterpart without a poller is the acceptor.
type door struct {
	*reception
	entrances entrances
	fd        int // -1 when closed
	loop      *eventLoop
	loops     *eventLoops
	alone     bool     // all connections stay on loop
	addr      net.Addr // of the listener
	fixed     bool     // all connections have this address too
	backoff   backoff
	timer     *pipeline.Timer // armed while accepting is put off
}

// listen takes a listener over and accepts on one of the loops until shut is called. Safe for concurrent
// use.
func (e *eventLoops) listen(l *listener, r *reception) (shut func(), err error) {
	sc, ok := l.Listener.(syscall.Conn)
	if !ok {
		return nil, errors.New("transport: listener has no descriptor")
	}
	fd, err := duplicate(sc)
	if err != nil {
		return nil, err
	}
	_ = l.Close() // it lives on in the duplicate
	loop := e.all[l.loop%len(e.all)]
	d := &door{
		reception: r, entrances: entrances{gate: r.gate}, fd: fd, loop: loop, loops: e, alone: l.alone,
		addr: l.addr, fixed: isFixed(l.addr),
	}
	if loop.core.Post(d.open) != nil {
		_ = unix.Close(fd) // the loop has ended
		return nil, pipeline.ErrLoopClosed
	}
	return func() { _ = loop.core.Post(d.close) }, nil // a loop that ends closes its doors
}

// isFixed reports whether all connections of a listener have its address.
func isFixed(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return !ok || !tcp.IP.IsUnspecified()
}

// open starts accepting. Call it on the loop.
func (d *door) open() {
	d.loop.doors = append(d.loop.doors, d)
	d.timer = d.loop.core.After(0, d.accept) // for connections that wait already
	if err := d.loop.poll.watchEdges(d.fd); err != nil {
		d.logger.Error("transport: listening ended", "address", d.addr.String(), "err", err)
		d.close()
	}
}

// acceptMost is how many connections are accepted in a row; the next ones wait for another look at the
// sockets.
const acceptMost = 64

// ready accepts after an event, unless that is put off. Call it on the loop.
func (d *door) ready() {
	if !d.timer.Armed() {
		d.accept()
	}
}

// accept takes what waits. Call it on the loop.
func (d *door) accept() {
	if d.fd < 0 {
		return
	}
	for range acceptMost {
		fd, peer, err := acceptConn(d.fd)
		switch {
		case err == nil:
			d.backoff.worked()
			d.greet(fd, peer)
		case errors.Is(err, unix.EAGAIN):
			return
		case isPeersFault(err):
			d.gate.acceptErrors.Add(1)
		case !errors.Is(err, unix.EINTR):
			d.gate.acceptErrors.Add(1)
			wait := d.backoff.failed(d.loop.core.Now(), d.logger, d.addr.String(), os.NewSyscallError("accept", err))
			d.later(wait)
			return
		}
	}
	d.later(0)
}

// later looks at the listener after a while, without an event.
func (d *door) later(wait time.Duration) { d.timer.Reset(wait) }

// isPeersFault reports errors of a connection that broke while it waited; the listener is well.
func isPeersFault(err error) bool {
	errno := syscall.Errno(0)
	if !errors.As(err, &errno) {
		return false
	}
	switch errno {
	case unix.ECONNABORTED, unix.ECONNRESET, unix.EPROTO, unix.ENETDOWN, unix.ENETUNREACH, unix.EHOSTDOWN,
		unix.EHOSTUNREACH, unix.EPERM:
		return true
	default:
		return false
	}
}

// greet lets one connection in or turns it away.
func (d *door) greet(fd int, peer unix.Sockaddr) {
	let := false
	defer func() { // a rule may panic or end the goroutine
		if !let {
			resetOnClose(fd)
			_ = unix.Close(fd) // nobody is told
		}
	}()
	remote := addrOf(peer, d.addr)
	if !d.gate.enter(remote) {
		return
	}
	let = true
	to := d.loop
	if !d.alone {
		to = d.loops.pick()
	}
	local := d.addr
	if !d.fixed {
		local = localOf(fd, d.addr)
	}
	d.socket.accepted(fd, d.addr)
	to.adopt(arrival{conn: newConn(fd, d.entrances.of(local, remote), remote), from: d.from})
}

// close stops accepting. Call it on the loop.
func (d *door) close() {
	if d.fd < 0 {
		return
	}
	d.timer.Stop()
	_ = unix.Close(d.fd) // nothing is left to do about it
	d.fd = -1
	for i, other := range d.loop.doors {
		if other == d {
			d.loop.doors = append(d.loop.doors[:i], d.loop.doors[i+1:]...)
			break
		}
	}
}
