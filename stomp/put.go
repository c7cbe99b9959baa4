package stomp

import "strconv"

// putFrame writes f to dst, up to a body that travels by reference, and returns how many octets that took. It
// returns false, having written something or nothing, when dst is too short or f must not be encoded: it looks
// at all octets while it copies them, so that what it wrote is right whatever was measured before.
func (e *Encoder) putFrame(dst []byte, f *Frame) (n int, ok bool) {
	if e.checkFrame(f) != nil {
		return 0, false
	}
	n, declared := putHead(dst, e.State.version(), f.Command, f.Headers)
	switch {
	case n < 0:
		return 0, false
	case declared == undeclared && e.addsLength(&f.Body):
		if n = putLength(dst, n, f.Body.n); n < 0 {
			return 0, false
		}
	case declared != undeclared && declared != int64(f.Body.n):
		return 0, false
	}
	small := f.Body.n < refThreshold
	if room := len(dst) - n; room < 1 || small && room < f.Body.n+2 {
		return 0, false
	}
	dst[n] = '\n'
	n++
	if small {
		for i := range f.Body.Parts() {
			n += copy(dst[n:], f.Body.Part(i))
		}
		dst[n] = 0
		n++
	}
	return n, true
}

// putHead writes command and headers, without the empty line, to dst and returns how many octets that took, -1
// when there is no room or something must not be written. It returns the content-length that the headers
// declare too, or undeclared.
func putHead(dst []byte, v Version, c Command, headers Headers) (n int, declared int64) {
	declared = undeclared
	if !c.Known() && !plainCommand(c) || len(c) >= len(dst) {
		return -1, declared
	}
	r := rulesFor(v, c)
	n = copy(dst, c)
	dst[n] = '\n'
	n++
	for i := range headers {
		h := &headers[i]
		name := r.names.put(dst[n:], h.Name)
		if name <= 0 || n+name >= len(dst) {
			return -1, declared
		}
		n += name
		dst[n] = ':'
		n++
		value := r.values.put(dst[n:], h.Value)
		if value < 0 || n+value >= len(dst) {
			return -1, declared
		}
		n += value
		dst[n] = '\n'
		n++
		if h.Name == HeaderContentLength {
			length, ok := sameLength(declared, h.Value)
			if !ok {
				return -1, declared
			}
			declared = length
		}
	}
	return n, declared
}

// putLength writes a content-length header at dst[n:] and returns where it ends, or -1 when there is no room.
func putLength(dst []byte, n, length int) int {
	const name = HeaderContentLength + ":"
	if len(dst)-n < len(name)+decimals(length)+1 {
		return -1
	}
	n += copy(dst[n:], name)
	n = len(strconv.AppendInt(dst[:n], int64(length), 10))
	dst[n] = '\n'
	return n + 1
}
