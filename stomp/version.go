package stomp

import "strings"

// Version is a protocol version. Escapes and line ends differ between versions.
type Version uint8

// The versions, oldest first, so that they can be compared.
const (
	VersionUnknown Version = iota // before CONNECTED: no escapes, lines end in LF or CR LF
	Version10                     // no escapes, lines end in LF
	Version11                     // \n \c \\, lines end in LF, CR is an ordinary octet
	Version12                     // \r too, lines end in LF or CR LF, no other CR
)

// String returns the version as headers spell it, "unknown" for VersionUnknown.
func (v Version) String() string {
	switch v {
	case Version10:
		return "1.0"
	case Version11:
		return "1.1"
	case Version12:
		return "1.2"
	case VersionUnknown:
	}
	return "unknown"
}

// Subprotocol returns the name of v as a subprotocol of WebSocket, such as "v12.stomp", "" for VersionUnknown.
func (v Version) Subprotocol() string {
	switch v {
	case Version10:
		return "v10.stomp"
	case Version11:
		return "v11.stomp"
	case Version12:
		return "v12.stomp"
	case VersionUnknown:
	}
	return ""
}

// ParseVersion reads one version; it returns VersionUnknown for any text but 1.0, 1.1 and 1.2.
func ParseVersion(text string) Version {
	switch text {
	case "1.0":
		return Version10
	case "1.1":
		return Version11
	case "1.2":
		return Version12
	}
	return VersionUnknown
}

// HighestVersion picks from an accept-version header, a list with commas, the highest version that this
// package knows; VersionUnknown when there is none in common. A missing header means 1.0: pass "1.0".
// STOMP 1.2, "Protocol Negotiation".
func HighestVersion(accept string) Version {
	highest := VersionUnknown
	for more := true; more; {
		var one string
		one, accept, more = strings.Cut(accept, ",")
		highest = max(highest, ParseVersion(strings.TrimSpace(one)))
	}
	return highest
}

// State is what both directions of one connection agree on. Its Decoder, its Encoder and its session handler
// share one State. Use it on the connection's event loop only.
type State struct {
	// Version rules escapes and line ends. A CONNECTED frame that is encoded sets it from its version header
	// (none: 1.0), and so does the first one that is decoded; a session may set it itself. A frame keeps the
	// rules that were in force when its command line was read.
	Version Version
}

// version is what s says; without a state every frame is read as before CONNECTED.
func (s *State) version() Version {
	if s == nil {
		return VersionUnknown
	}
	return s.Version
}

// received takes the version from a CONNECTED frame that the peer sent. Only the first one counts: a peer must
// not be able to switch escapes off later.
func (s *State) received(h Headers) {
	if s != nil && s.Version == VersionUnknown {
		s.Version = connectedVersion(h)
	}
}

// sent takes the version from a CONNECTED frame that this side sent: what it says is what holds.
func (s *State) sent(h Headers) {
	if s != nil {
		s.Version = connectedVersion(h)
	}
}

// connectedVersion reads the version header; a server that sends none speaks 1.0.
func connectedVersion(h Headers) Version {
	text, ok := h.Lookup(HeaderVersion)
	if !ok {
		return Version10
	}
	return ParseVersion(text)
}
