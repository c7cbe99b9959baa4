package transport

import (
	"net"
	"net/netip"
)

// entrance is what the connections of one listener have in common. They point to it instead of having it
// themselves: idle connections consist of little else. A dialled connection has one of its own.
type entrance struct {
	gate   *gate    // counts them; nil: nobody does
	local  net.Addr // our end
	remote net.Addr // the peers' end; nil: an IP address, which each connection has for itself
}

// entrances makes the entrances of one listener. It is for one goroutine at a time; nil makes them for
// connections that nobody counts.
type entrances struct {
	gate *gate
	last *entrance
}

// of is the entrance for a connection with these addresses: the last one, unless it has others. A listener
// on all addresses of the machine sees few changes, since most peers use one.
func (e *entrances) of(local, remote net.Addr) *entrance {
	if ip, _ := splitIP(remote); ip.IsValid() {
		remote = nil
	}
	if e == nil {
		return &entrance{local: local, remote: remote}
	}
	if l := e.last; l == nil || !sameAddr(l.local, local) || !sameAddr(l.remote, remote) {
		e.last = &entrance{gate: e.gate, local: local, remote: remote}
	}
	return e.last
}

func sameAddr(a, b net.Addr) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a == b || a.Network() == b.Network() && a.String() == b.String()
}

// splitIP gives the IP address and the port of a TCP address, in the form that takes the least memory. The
// IP address of any other kind is not valid.
func splitIP(a net.Addr) (ip netip.Addr, port uint16) {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}, 0
	}
	ip, _ = netip.AddrFromSlice(tcp.IP)
	return ip.Unmap().WithZone(tcp.Zone), uint16(tcp.Port)
}

// joinIP is the opposite of splitIP.
func joinIP(ip netip.Addr, port uint16) net.Addr {
	return &net.TCPAddr{IP: ip.AsSlice(), Port: int(port), Zone: ip.Zone()}
}
