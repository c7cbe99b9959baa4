package stomp

import (
	"encoding/binary"
	"strconv"
)

// putFrame writes f to dst, with the body and the NUL if there are fewer octets than copyBelow, and returns how many
// octets that took, -1 when there is no room or something must not be written.
func (e *Encoder) putFrame(dst []byte, f *Frame, copyBelow int) int {
	if e.stream.open || f.Body.n > 0 && !f.Command.Body() {
		return -1
	}
	n, declared := putHead(dst, e.State.version(), f.Command, f.Headers)
	if n < 0 {
		return n
	}
	switch {
	case declared == undeclared && e.addsLength(&f.Body):
		if len(dst)-n < len(HeaderContentLength)+len(":\n")+decimals(uint64(f.Body.n)) {
			return -1
		}
		n = putLength(dst, n, f.Body.n)
	case declared != undeclared && declared != int64(f.Body.n):
		return -1
	}
	end := len("\n")
	if f.Body.n < copyBelow {
		end += f.Body.n + 1
	}
	if len(dst)-n < end {
		return -1
	}
	dst[n] = '\n'
	n++
	if f.Body.n < copyBelow {
		n += f.Body.putEnd(dst[n:])
	}
	return n
}

// putHead writes command and headers, without the empty line, to dst and returns how many octets that took, -1
// when there is no room or something must not be written. It returns the content-length that the headers
// declare too, or undeclared.
func putHead(dst []byte, v Version, c Command, headers Headers) (n int, declared int64) {
	if len(c) >= len(dst) || !plainCommand(c) {
		return -1, undeclared
	}
	dst[copy(dst, c)] = '\n'
	n, declared = putHeaders(dst[len(c)+1:], rulesFor(v, c), headers)
	if n < 0 {
		return n, declared
	}
	return len(c) + 1 + n, declared
}

// putHeaders is putHead without the command. It copies and looks for what must be escaped or refused in one pass over
// all names and values, without a call for each: eight octets at a time, and the last eight of a text once more where
// they overlap.
func putHeaders(dst []byte, r *rules, headers Headers) (n int, declared int64) {
	declared = undeclared
	for i := range 2 * len(headers) {
		h := &headers[i/2]
		s, as, end := h.Name, r.names, byte(':')
		if i%2 != 0 {
			s, as, end = h.Value, r.values, '\n'
		}
		if len(s) >= len(dst)-n {
			return -1, declared
		}
		to := dst[n : n+len(s)+1]
		found := putText(to[:len(s)], s)
		if found != 0 {
			size := as.putEscaped(dst[n:], s)
			if size < 0 || size >= len(dst)-n {
				return -1, declared
			}
			n += size
		} else {
			n += len(s)
		}
		dst[n] = end
		n++
		if end == ':' {
			if len(s) == 0 {
				return -1, declared
			}
		} else if h.Name == HeaderContentLength {
			length, ok := sameLength(declared, s)
			if !ok {
				return -1, declared
			}
			declared = length
		}
	}
	return n, declared
}

// putText copies s to dst, which is as long, and returns not zero when there is something special in it.
func putText(to []byte, s string) uint64 {
	if len(s) >= 8 && len(to) >= len(s) {
		last := word(s[len(s)-8:])
		found := specialWord(last)
		for i := 0; i+8 < len(s) && i+8 < len(to); i += 8 {
			w := word(s[i : i+8])
			found |= specialWord(w)
			binary.LittleEndian.PutUint64(to[i:i+8], w)
		}
		binary.LittleEndian.PutUint64(to[len(s)-8:], last)
		return found
	}
	w := short(s)
	switch n := len(s); {
	case n >= 4:
		binary.LittleEndian.PutUint32(to, uint32(w))
		binary.LittleEndian.PutUint32(to[n-4:], uint32(w>>32))
	case n > 0:
		to[0], to[n/2], to[n-1] = byte(w), byte(w>>8), byte(w>>16)
	}
	return specialWord(w)
}

// putLength writes a content-length header at dst[n:], where there is room, and returns where it ends.
func putLength(dst []byte, n, length int) int {
	n += copy(dst[n:], HeaderContentLength+":")
	n = len(strconv.AppendInt(dst[:n], int64(length), 10))
	dst[n] = '\n'
	return n + 1
}

// putEnd copies b and the NUL behind it to dst and returns their size.
func (b *Body) putEnd(dst []byte) int {
	n := 0
	for i := range b.Parts() {
		n += copy(dst[n:], b.Part(i))
	}
	dst[n] = 0
	return n + 1
}
