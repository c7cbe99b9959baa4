package stomp

// What is put was measured before: there is room for it, and nothing in it is refused.

// putFrame writes f to dst, with the body and the NUL if it has fewer octets than copyBelow, and returns their size.
func (m *measured) putFrame(dst []byte, r *rules, f *Frame, copyBelow int) int {
	n := m.putHead(dst, r, f.Command, f.Headers)
	if m.adds {
		n = putLength(dst, n, f.Body.n)
	}
	dst[n] = '\n'
	n++
	if f.Body.n < copyBelow {
		n += f.Body.putEnd(dst[n:])
	}
	return n
}

// putHead writes command and headers, without the empty line, to dst and returns their size.
func (m *measured) putHead(dst []byte, r *rules, c Command, headers Headers) int {
	n := copy(dst, c)
	dst[n] = '\n'
	return m.putHeaders(dst, n+1, r, headers)
}

// putHeaders writes headers at dst[n:] and returns where they end. Those that are not marked are copied as they are.
func (m *measured) putHeaders(dst []byte, n int, r *rules, headers Headers) int {
	for i := range headers {
		h := &headers[i]
		if m.marked>>(i%64)&1 != 0 {
			n = r.putHeader(dst, n, h)
			continue
		}
		n += copy(dst[n:], h.Name)
		dst[n] = ':'
		n++
		n += copy(dst[n:], h.Value)
		dst[n] = '\n'
		n++
	}
	return n
}

// putHeader writes h, escaped, at dst[n:] and returns where it ends.
func (r *rules) putHeader(dst []byte, n int, h *Header) int {
	n += r.names.put(dst[n:], h.Name)
	dst[n] = ':'
	n++
	n += r.values.put(dst[n:], h.Value)
	dst[n] = '\n'
	return n + 1
}

// putLength writes a content-length header at dst[n:] and returns where it ends.
func putLength(dst []byte, n, length int) int {
	n += copy(dst[n:], HeaderContentLength+":")
	n = putDecimal(dst, n, uint64(length))
	dst[n] = '\n'
	return n + 1
}

// putEnd copies b and the NUL behind it to dst and returns their size.
func (b *Body) putEnd(dst []byte) int {
	n := 0
	if b.n > 0 {
		for i := range b.Parts() {
			n += copy(dst[n:], b.Part(i))
		}
	}
	dst[n] = 0
	return n + 1
}
