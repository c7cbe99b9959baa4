package httpx

import "math/bits"

// What follows reads the lines of a head in one pass when they are whole and without fault, as nearly all are. It stops
// in front of any other line and judges none: that is left to the functions that know the limits and the reasons.

// scanLine reads a request line of GET or POST in origin-form for HTTP/1.1, and returns where the next line begins; 0 = it
// is another line, or not whole. RFC 9112, 3.
func (r *Request) scanLine(b []byte) (next int) {
	const version = " HTTP/1.1\r\n"
	target := 0
	switch {
	case len(b) < len("GET /")+len(version):
		return 0
	case string(b[:4]) == "GET ":
		r.Method, target = MethodGet, 4
	case string(b[:5]) == "POST ":
		r.Method, target = MethodPost, 5
	default:
		return 0
	}
	end := target + unseenAt(b[target:])
	next = end + len(version)
	if b[target] != '/' || next > len(b) || string(b[end:next]) != version {
		return 0
	}
	r.Version = Version11
	r.target, r.targetEnd = uint32(target), uint32(end)
	return next
}

// scan notes field lines, the first of which begins at the offset at of the window b, until there are most, and returns
// where the first line begins that it did not take. RFC 9112, 5.
func (h *Header) scan(b []byte, at, most int) int {
	for len(h.fields) < most && at < len(b) && b[at] != '\r' {
		f, length := scanField(b[at:])
		if length == 0 {
			break
		}
		f.name += uint32(at)
		f.value += uint32(at)
		h.note(f)
		at += length
	}
	return at
}

// scanField reads the field line that b begins with, and returns its length with the line end; 0 = it is none, or not
// whole. It is one function, and has the loops of tokenEnd and valueEnd in it, because it runs for every line.
func scanField(b []byte) (f field, length int) {
	i := 0
	for ; i <= len(b)-8; i += 8 {
		if found := unusual(load8(b[i : i+8])); found != 0 {
			i += bits.TrailingZeros64(found) / 8
			break
		}
	}
	for i < len(b) && charClass[b[i]]&classToken != 0 {
		i++
	}
	if i == 0 || i > maxNameBytes || i >= len(b) || b[i] != ':' {
		return f, 0
	}
	f.nameLen = uint16(i)
	if 1<<i&knownLengths != 0 {
		f.is = nameOf(b[:i])
	}
	for i++; i < len(b) && isBlank(b[i]); {
		i++
	}
	v := b[i:]
	end := 0
	for ; end <= len(v)-8; end += 8 {
		if found := controls(load8(v[end : end+8])); found != 0 {
			end += bits.TrailingZeros64(found) / 8
			break
		}
	}
	for end < len(v) && (v[end] >= ' ' && v[end] != 0x7f || v[end] == '\t') {
		end++
	}
	if len(v)-end < len("\r\n") || v[end] != '\r' || v[end+1] != '\n' {
		return f, 0
	}
	length = i + end + len("\r\n")
	for end > 0 && isBlank(v[end-1]) {
		end--
	}
	f.value, f.valueLen = uint32(i), uint32(end)
	return f, length
}
