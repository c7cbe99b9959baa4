package httpx

import (
	"net"
	"net/netip"
)

// Forwarded finds out where a request comes from that proxies have passed on. Anybody can send the fields that tell it,
// so only what Trusted proxies have added counts: the fields are read from the end, as long as the one who has added
// what stands there is trusted.
//
// Each proxy must set or remove the fields that are read here: one that passes X-Forwarded-Proto on as a client sent
// it makes that client's word good. The zero value trusts nobody. It is safe for concurrent use when it is not changed.
type Forwarded struct {
	// Trusted are the addresses of the proxies. A peer without an IP address, on a Unix socket, is never one of them.
	Trusted []netip.Prefix
	// Standard reads Forwarded (RFC 7239) instead of X-Forwarded-For and its like. One of the two is never looked at:
	// a proxy that sets the one passes the other on as it comes.
	Standard bool
	// TrustHost takes the host from X-Forwarded-Host. Not all proxies set it, and links made of a host that a client
	// chose lead elsewhere. Forwarded names the host of each proxy separately, so that it needs no such field.
	TrustHost bool
	// Scheme is that of requests that no proxy says anything of; "" = "http".
	Scheme string
}

// Origin is where a request comes from.
type Origin struct {
	// Addr is the client, or the first proxy that is not trusted. It is not valid when a trusted proxy does not say.
	Addr netip.Addr
	// Scheme is by what it reached the first trusted proxy: "http", "https", or Forwarded.Scheme.
	Scheme string
	// Host is the host and port that it asked for, not checked any further.
	Host string
}

// Of returns where the request of x comes from. Call it on the event loop only.
func (f *Forwarded) Of(x *Exchange) Origin {
	return f.Find(addrOf(x.Channel().RemoteAddr()), x.Request)
}

// Find returns where a request comes from that peer has sent.
func (f *Forwarded) Find(peer netip.Addr, r *Request) Origin {
	o := Origin{Addr: peer.Unmap().WithZone(""), Scheme: f.Scheme, Host: string(r.Host())}
	if o.Scheme == "" {
		o.Scheme = "http"
	}
	if !f.trusts(o.Addr) {
		return o
	}
	if f.Standard {
		f.standard(&o, &r.Header)
	} else {
		f.common(&o, &r.Header)
	}
	return o
}

func (f *Forwarded) trusts(a netip.Addr) bool {
	for _, p := range f.Trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// addrOf returns the address of a peer; that of a Unix socket is not valid.
func addrOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr()
	}
	if a == nil {
		return netip.Addr{}
	}
	addr, _ := netip.ParseAddrPort(a.String())
	return addr.Addr()
}

// common reads X-Forwarded-For, -Proto and -Host, which nothing but custom defines.
func (f *Forwarded) common(o *Origin, h *Header) {
	hops := 0
	for from := range backwards(h, "x-forwarded-for") {
		hops++
		o.Addr = parseNode(from)
		if !f.trusts(o.Addr) {
			break
		}
	}
	if scheme, ok := forwardedScheme(elementFromEnd(h, "x-forwarded-proto", hops)); ok {
		o.Scheme = scheme
	}
	if host := elementFromEnd(h, "x-forwarded-host", hops); f.TrustHost && len(host) > 0 && validHost(host) {
		o.Host = string(host)
	}
}

// standard reads Forwarded: an element for each proxy, with what it knows of the one it had the request from.
func (f *Forwarded) standard(o *Origin, h *Header) {
	elements, ok := parseForwarded(h)
	if !ok {
		*o = Origin{Scheme: o.Scheme, Host: o.Host} // who has added what cannot be told
		return
	}
	for i := len(elements) - 1; i >= 0; i-- {
		e := &elements[i]
		o.Addr = parseNode(e.from)
		if scheme, ok := forwardedScheme(e.proto); ok {
			o.Scheme = scheme
		}
		if len(e.host) > 0 && validHost(e.host) {
			o.Host = string(e.host)
		}
		if !f.trusts(o.Addr) {
			return
		}
	}
}

func forwardedScheme(b []byte) (scheme string, ok bool) {
	switch {
	case equalFold(b, "https"):
		return "https", true
	case equalFold(b, "http"):
		return "http", true
	}
	return "", false
}

// parseNode reads an address with or without a port; one of IPv6 with a port is in brackets. What is none, "unknown" or
// a name that hides an address, is not valid. RFC 7239, 6.
func parseNode(b []byte) netip.Addr {
	s := string(b)
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Unmap().WithZone("")
	}
	if len(s) > 2 && s[0] == '[' && s[len(s)-1] == ']' {
		if a, err := netip.ParseAddr(s[1 : len(s)-1]); err == nil && a.Is6() {
			return a.Unmap().WithZone("")
		}
	}
	if a, err := netip.ParseAddrPort(s); err == nil {
		return a.Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}
