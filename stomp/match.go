package stomp

import "bytes"

// MatchPrefix looks at the first octets of a connection: yes means that a STOMP client speaks, more that it
// may be one and more octets are needed to tell. A client begins with CONNECT or STOMP and a line end; CONNECT
// and a space is HTTP. LFs may come first. A CR LF in front may be one of a careless HTTP client or begin the
// PROXY protocol's binary header: it never is STOMP, but only what follows tells what it is. Safe for
// concurrent use.
func MatchPrefix(prefix []byte) (yes, more bool) {
	if len(prefix) > 0 && prefix[0] == '\r' {
		return false, onlyLineEnds(prefix)
	}
	prefix = bytes.TrimLeft(prefix, "\n")
	for _, command := range [...]string{"CONNECT", "STOMP"} {
		n := min(len(prefix), len(command))
		if string(prefix[:n]) != command[:n] {
			continue
		}
		switch rest := prefix[n:]; {
		case len(rest) == 0, string(rest) == "\r":
			return false, true
		default:
			return rest[0] == '\n' || rest[0] == '\r' && rest[1] == '\n', false
		}
	}
	return false, false
}

// onlyLineEnds reports whether p is a run of CR LF, the last of which may be unfinished.
func onlyLineEnds(p []byte) bool {
	for i, c := range p {
		if c != "\r\n"[i%2] {
			return false
		}
	}
	return true
}
