package transport

import (
	"log/slog"
	"net"
	"net/netip"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// gate decides who may connect, before anything is spent on a connection, and counts.
type gate struct {
	maxConns, maxPerAddress int
	allow                   func(net.Addr) bool // nil: everybody
	logger                  *slog.Logger

	mu    sync.Mutex
	open  int
	perIP map[netip.Addr]int

	accepted, refusedFull, refusedAddress, refusedByRule, acceptErrors atomic.Int64
}

// enter asks whether a peer may come in; it counts as open then, until leave. Safe for concurrent use.
func (g *gate) enter(peer net.Addr) bool {
	if g.allow != nil && !g.allows(peer) {
		g.refusedByRule.Add(1)
		return false
	}
	ip := ipOf(peer)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open >= g.maxConns {
		g.refusedFull.Add(1)
		return false
	}
	if ip.IsValid() {
		if g.perIP[ip] >= g.maxPerAddress {
			g.refusedAddress.Add(1)
			return false
		}
		if g.perIP == nil {
			g.perIP = make(map[netip.Addr]int)
		}
		g.perIP[ip]++
	}
	g.open++
	g.accepted.Add(1)
	return true
}

// allows asks the user's rule. One that panics lets nobody in.
func (g *gate) allows(peer net.Addr) (yes bool) {
	defer func() {
		if r := recover(); r != nil {
			g.logger.Error("transport: panic in Server.Allow", "peer", peer, "value", r, "stack", string(debug.Stack()))
		}
	}()
	return g.allow(peer)
}

// leave says that a connection of a peer with this IP address, not valid for other kinds of addresses, is
// closed. Safe for concurrent use.
func (g *gate) leave(ip netip.Addr) {
	ip = ip.WithZone("")
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open--
	if !ip.IsValid() {
		return
	}
	if g.perIP[ip] > 1 {
		g.perIP[ip]--
	} else {
		delete(g.perIP, ip)
	}
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// ipOf is the IP address of a peer, in one form whether it came by IPv4 or as IPv4 in IPv6; not valid for
// other kinds of addresses.
func ipOf(a net.Addr) netip.Addr {
	switch a := a.(type) {
	case *net.TCPAddr:
		ip, _ := splitIP(a)
		return ip.WithZone("")
	case nil:
		return netip.Addr{}
	}
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}
