package stomp

import (
	"encoding/binary"
	"math/bits"
)

// rules are the escapes and line ends of one frame.
type rules struct {
	escapes escapes
	crlf    bool      // lines may end in CR LF; any other CR is refused
	names   *alphabet // how the octets of header names are written
	values  *alphabet // and those of header values
}

// rulesFor returns what holds for a frame of command c under version v. STOMP is named in no exemption of the
// specification but is a CONNECT by another name.
func rulesFor(v Version, c Command) *rules {
	if c.Handshake() || int(v) >= len(rulesOf) {
		return &rulesOf[VersionUnknown]
	}
	return &rulesOf[v]
}

var rulesOf = [...]rules{
	VersionUnknown: {crlf: true, names: &rawNames, values: &rawValues},
	Version10:      {names: &names10, values: &values10},
	Version11:      {escapes: escapes11, names: &letters[escapes11], values: &letters[escapes11]},
	Version12:      {escapes: escapes12, crlf: true, names: &letters[escapes12], values: &letters[escapes12]},
}

// alphabet says for each octet of a header text how it is written: 0 as it is, refused not at all, or the
// letter that stands for it behind a backslash. NUL is refused everywhere: the grammar allows it, but for many
// readers it ends the frame wherever it stands. Without escapes LF ends a line and a colon a name, and CR is
// lost where lines may end in CR LF. Only octets that special finds are written in another way.
type alphabet [256]byte

const refused = 1

var (
	rawNames  = alphabet{0: refused, '\n': refused, '\r': refused, ':': refused}
	rawValues = alphabet{0: refused, '\n': refused, '\r': refused}
	names10   = alphabet{0: refused, '\n': refused, ':': refused}
	values10  = alphabet{0: refused, '\n': refused}
	letters   = [...]alphabet{
		escapes11: {0: refused, '\\': '\\', ':': 'c', '\n': 'n'},
		escapes12: {0: refused, '\\': '\\', ':': 'c', '\n': 'n', '\r': 'r'},
	}
)

// escapeSize returns how many octets h takes more than it has, or false when it cannot be written. name and value say
// which of them holds special octets.
func (r *rules) escapeSize(h *Header, name, value bool) (more int, ok bool) {
	ok = true
	if name {
		more, ok = r.names.escapes(h.Name)
	}
	if value && ok {
		var n int
		n, ok = r.values.escapes(h.Value)
		more += n
	}
	return more, ok
}

// escapes returns how many octets of s are escaped, or false when s cannot be written.
func (a *alphabet) escapes(s string) (n int, ok bool) {
	for len(s) >= 8 {
		found := specialWord(word(s)) & highs
		if found == 0 {
			s = s[8:]
			continue
		}
		first := bits.TrailingZeros64(found) / 8
		as := a[s[first]]
		if as == refused {
			return 0, false
		}
		if as != 0 {
			n++
		}
		s = s[first+1:]
	}
	for i := range len(s) {
		switch a[s[i]] {
		case 0:
		case refused:
			return 0, false
		default:
			n++
		}
	}
	return n, true
}

// put writes s, which was measured, to dst and returns how many octets that took.
func (a *alphabet) put(dst []byte, s string) int {
	n := 0
	for len(s) >= 8 && len(dst)-n >= 8 {
		w := word(s)
		binary.LittleEndian.PutUint64(dst[n:], w)
		found := specialWord(w) & highs
		if found == 0 {
			s = s[8:]
			n += 8
			continue
		}
		first := bits.TrailingZeros64(found) / 8
		n = a.putOctet(dst, n+first, s[first])
		s = s[first+1:]
	}
	for i := range len(s) {
		n = a.putOctet(dst, n, s[i])
	}
	return n
}

// putOctet writes c at dst[n:] and returns where that ends.
func (a *alphabet) putOctet(dst []byte, n int, c byte) int {
	if as := a[c]; as != 0 {
		dst[n] = '\\'
		n++
		c = as
	}
	dst[n] = c
	return n + 1
}
