package stomp

import "strconv"

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

// putLength writes a content-length header at dst[n:], where there is room, and returns where it ends.
func putLength(dst []byte, n, length int) int {
	n += copy(dst[n:], HeaderContentLength+":")
	n = len(strconv.AppendInt(dst[:n], int64(length), 10))
	dst[n] = '\n'
	return n + 1
}

// putHeaders writes header lines that measure allowed to dst, where there is room, and returns their size.
func putHeaders(dst []byte, r *rules, headers Headers) int {
	n := 0
	for i := range headers {
		n += r.names.put(dst[n:], headers[i].Name)
		dst[n] = ':'
		n++
		n += r.values.put(dst[n:], headers[i].Value)
		dst[n] = '\n'
		n++
	}
	return n
}

// put copies b and the NUL behind it to dst.
func (b *Body) put(dst []byte) {
	n := 0
	for i := range b.Parts() {
		n += copy(dst[n:], b.Part(i))
	}
	dst[n] = 0
}
