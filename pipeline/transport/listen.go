package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

// listener is an address that we are bound to.
type listener struct {
	net.Listener
	addr    net.Addr
	unlink  string // path of a Unix socket that we made
	foreign bool   // made by the user: only its Accept is used
	loop    int    // on which to accept; all its connections stay there if alone
	alone   bool
}

// bind binds one address; with several loops and SO_REUSEPORT once for each loop.
func bind(parent context.Context, address string, o *SocketOptions, loops int) ([]*listener, error) {
	e, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	if e.network == "fd" {
		l, err := inherit(e.fd)
		if err != nil {
			return nil, err
		}
		return []*listener{l}, nil
	}
	first, err := bindOne(parent, e, o)
	if err != nil {
		return nil, err
	}
	all := []*listener{first}
	if !o.ReusePort || !haveEventLoops || !strings.HasPrefix(e.network, "tcp") {
		return all, nil
	}
	first.alone = true
	e.address = first.addr.String() // the port is known now
	for i := 1; i < loops; i++ {
		l, err := bindOne(parent, e, o)
		if err != nil {
			closeListeners(all)
			return nil, err
		}
		l.loop, l.alone = i, true
		all = append(all, l)
	}
	return all, nil
}

func bindOne(parent context.Context, e endpoint, o *SocketOptions) (*listener, error) {
	config := net.ListenConfig{Control: o.listening, KeepAlive: -1} // we set it ourselves
	config.SetMultipathTCP(false)                                   // its sockets do not inherit options
	ln, err := config.Listen(parent, e.network, e.address)
	if err != nil && e.network == "unix" && errors.Is(err, syscall.EADDRINUSE) && removeStale(e.address) {
		ln, err = config.Listen(parent, e.network, e.address)
	}
	if err != nil {
		return nil, fmt.Errorf("transport: %w", err)
	}
	l := &listener{Listener: ln, addr: ln.Addr()}
	if u, ok := ln.(*net.UnixListener); ok && !strings.HasPrefix(e.address, "@") {
		u.SetUnlinkOnClose(false) // the descriptor outlives u
		l.unlink = e.address
	}
	if sc, ok := ln.(syscall.Conn); ok {
		if err := o.backlog(sc); err != nil {
			l.shut()
			return nil, fmt.Errorf("transport: listening on %s: %w", e.address, err)
		}
	}
	return l, nil
}

// removeStale removes a Unix socket that a process has left behind, and reports whether it did.
func removeStale(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return false
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		_ = c.Close() // somebody is there
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED) && os.Remove(path) == nil
}

// inherit takes a listening descriptor that the process was started with (systemd's socket activation).
func inherit(fd int) (*listener, error) {
	f := os.NewFile(uintptr(fd), fmt.Sprintf("fd://%d", fd))
	if f == nil {
		return nil, fmt.Errorf("transport: fd://%d: %w", fd, os.ErrInvalid)
	}
	ln, err := net.FileListener(f)
	_ = f.Close() // ln has a duplicate
	if err != nil {
		return nil, fmt.Errorf("transport: fd://%d: %w", fd, err)
	}
	return &listener{Listener: ln, addr: ln.Addr()}, nil
}

// shut stops listening. The path of a Unix socket goes first, so that nobody finds a dead one.
func (l *listener) shut() {
	if l.unlink != "" {
		_ = os.Remove(l.unlink) // somebody else may have done it
	}
	_ = l.Close() // also when it was closed before
}

func closeListeners(all []*listener) {
	for _, l := range all {
		l.shut()
	}
}
