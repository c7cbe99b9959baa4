//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"net"
	"strconv"

	"golang.org/x/sys/unix"
)

// addrOf is a peer's address as package net would give it. listener is the address of the listener, whose
// kind it shares.
func addrOf(sa unix.Sockaddr, listener net.Addr) net.Addr {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: sa.Addr[:], Port: sa.Port}
	case *unix.SockaddrInet6:
		a := &net.TCPAddr{IP: sa.Addr[:], Port: sa.Port}
		if ip := a.IP.To4(); ip != nil {
			a.IP = ip
		} else if sa.ZoneId != 0 {
			a.Zone = strconv.FormatUint(uint64(sa.ZoneId), 10)
		}
		return a
	case *unix.SockaddrUnix:
		return &net.UnixAddr{Name: sa.Name, Net: listener.Network()}
	}
	return &net.UnixAddr{Net: listener.Network()}
}

// localOf asks the system for our end's address.
func localOf(fd int, listener net.Addr) net.Addr {
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return listener
	}
	return addrOf(sa, listener)
}
