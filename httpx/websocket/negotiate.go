package websocket

import "strconv"

// This file agrees on permessage-deflate. RFC 7692, 5 and 7.1.

const extensionDeflate = "permessage-deflate"

const (
	paramServerNoTakeover = "server_no_context_takeover"
	paramClientNoTakeover = "client_no_context_takeover"
	paramServerBits       = "server_max_window_bits"
	paramClientBits       = "client_max_window_bits"
)

// deflateParams is an offer of permessage-deflate, or the answer to one.
type deflateParams struct {
	serverNoTakeover, clientNoTakeover bool
	serverBits, clientBits             int  // 0: not there
	clientBitsHint                     bool // client_max_window_bits without a value
}

// parseDeflate reads the parameters of an extension. ok is false when one is unknown, comes twice or has a value that it
// may not have; then an offer is declined and an answer refused.
func parseDeflate(e extension) (p deflateParams, ok bool) {
	seen := map[string]bool{}
	for _, v := range e.params {
		if seen[v.name] {
			return p, false
		}
		seen[v.name] = true
		switch v.name {
		case paramServerNoTakeover:
			p.serverNoTakeover, ok = true, !v.hasValue
		case paramClientNoTakeover:
			p.clientNoTakeover, ok = true, !v.hasValue
		case paramServerBits:
			p.serverBits, ok = windowBits(v.value)
		case paramClientBits:
			if p.clientBitsHint = !v.hasValue; p.clientBitsHint {
				ok = true
			} else {
				p.clientBits, ok = windowBits(v.value)
			}
		default:
			ok = false
		}
		if !ok {
			return p, false
		}
	}
	return p, true
}

// windowBits reads 8 to 15 without leading zeros. RFC 7692, 7.1.2.
func windowBits(s string) (bits int, ok bool) {
	bits, err := strconv.Atoi(s)
	return bits, err == nil && bits >= leastWindowBits && bits <= mostWindowBits && strconv.Itoa(bits) == s
}

// accept is what a server that wants d makes of an offer.
func (d *Deflate) accept(offer deflateParams) (agreed Deflate, answer deflateParams) {
	agreed = *d
	agreed.ServerTakeover = d.ServerTakeover && !offer.serverNoTakeover
	agreed.ClientTakeover = d.ClientTakeover && !offer.clientNoTakeover
	agreed.ServerWindowBits = min(d.windowBits(false), orDefault(offer.serverBits, mostWindowBits))
	agreed.ClientWindowBits = mostWindowBits
	if offer.clientBits > 0 || offer.clientBitsHint { // else the client may not know the parameter
		agreed.ClientWindowBits = min(d.windowBits(true), orDefault(offer.clientBits, mostWindowBits))
	}
	answer.serverNoTakeover, answer.clientNoTakeover = !agreed.ServerTakeover, !agreed.ClientTakeover
	if agreed.ServerWindowBits < mostWindowBits || offer.serverBits > 0 {
		answer.serverBits = agreed.ServerWindowBits
	}
	if agreed.ClientWindowBits < mostWindowBits {
		answer.clientBits = agreed.ClientWindowBits
	}
	return agreed, answer
}

// offer is what a client that wants d asks for.
func (d *Deflate) offer() (p deflateParams) {
	p.serverNoTakeover, p.clientNoTakeover = !d.ServerTakeover, !d.ClientTakeover
	if bits := d.windowBits(false); bits < mostWindowBits {
		p.serverBits = bits
	}
	if bits := d.windowBits(true); bits < mostWindowBits {
		p.clientBits = bits
	} else {
		p.clientBitsHint = true
	}
	return p
}

// settle is what a client that has offered d makes of the answer; ok is false when that goes beyond the offer.
func (d *Deflate) settle(answer deflateParams) (agreed Deflate, ok bool) {
	offer := d.offer()
	switch {
	case offer.serverNoTakeover && !answer.serverNoTakeover, answer.clientBitsHint,
		orDefault(answer.serverBits, mostWindowBits) > orDefault(offer.serverBits, mostWindowBits),
		answer.clientBits > d.windowBits(true):
		return Deflate{}, false
	}
	agreed = *d
	agreed.ServerTakeover = !answer.serverNoTakeover
	agreed.ClientTakeover = d.ClientTakeover && !answer.clientNoTakeover
	agreed.ServerWindowBits = orDefault(answer.serverBits, mostWindowBits)
	agreed.ClientWindowBits = min(d.windowBits(true), orDefault(answer.clientBits, mostWindowBits))
	return agreed, true
}

// String is the element of Sec-WebSocket-Extensions.
func (p deflateParams) String() string {
	s := extensionDeflate
	if p.serverNoTakeover {
		s += "; " + paramServerNoTakeover
	}
	if p.clientNoTakeover {
		s += "; " + paramClientNoTakeover
	}
	if p.serverBits > 0 {
		s += "; " + paramServerBits + "=" + strconv.Itoa(p.serverBits)
	}
	if p.clientBitsHint {
		s += "; " + paramClientBits
	}
	if p.clientBits > 0 {
		s += "; " + paramClientBits + "=" + strconv.Itoa(p.clientBits)
	}
	return s
}

// choose is the first offer that a server which wants d can accept, and the answer to it; nil when there is none.
func (d *Deflate) choose(offers []extension) (agreed *Deflate, answer string) {
	if d == nil {
		return nil, ""
	}
	for _, e := range offers {
		if e.name != extensionDeflate {
			continue
		}
		if offer, ok := parseDeflate(e); ok {
			a, p := d.accept(offer)
			return &a, p.String()
		}
	}
	return nil, ""
}
