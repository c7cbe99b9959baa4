package stomp

// stream is what the frame that is being streamed may still hold.
type stream struct {
	open     bool // the frame is unfinished
	command  Command
	declared bool
	left     int64 // octets missing from a declared body
}

// measured is what a look at all octets of a head, or of a frame, found out.
type measured struct {
	size     int    // octets that are written into memory of the encoder's own
	declared int64  // content-length among the headers, or undeclared
	marked   uint64 // bit i%64: header i has octets that may be written in another way
	adds     bool   // a content-length is added
}

// measureFrame checks f and measures it when bodies below copyBelow octets are copied.
func (e *Encoder) measureFrame(r *rules, f *Frame, copyBelow int) (measured, error) {
	if err := e.checkFrame(f); err != nil {
		return measured{}, err
	}
	m, err := r.measure(f.Command, f.Headers)
	if err == nil {
		err = m.addBody(f.Command, f.Headers, &f.Body, e.Length)
	}
	m.size += len("\n") + f.Body.ownSize(copyBelow) + 1
	return m, err
}

// addBody adds the content-length that b needs, or compares b with the one that there is.
func (m *measured) addBody(c Command, headers Headers, b *Body, rule LengthRule) error {
	switch {
	case m.declared != undeclared:
		if m.declared != int64(b.n) {
			return wrongLength(c, headers)
		}
	case b.n > 0 && (rule == LengthAlways || b.hasNul()):
		m.adds = true
		m.size += len(HeaderContentLength) + len(":\n") + decimals(uint64(b.n))
	}
	return nil
}

// checkFrame is the part of the checks that is independent of the headers.
func (e *Encoder) checkFrame(f *Frame) error {
	switch {
	case e.stream.open:
		return &Error{Reason: ErrOutOfOrder, Command: f.Command}
	case f.Body.n > 0 && !f.Command.Body():
		return &Error{Reason: ErrBodyNotAllowed, Command: f.Command}
	}
	return nil
}

// measureHeaders checks h, measures it, and says what the body of the frame may hold.
func (e *Encoder) measureHeaders(r *rules, h *HeadersSubframe) (measured, stream, error) {
	if e.stream.open {
		return measured{}, stream{}, &Error{Reason: ErrOutOfOrder, Command: h.Command}
	}
	m, err := r.measure(h.Command, h.Headers)
	if err == nil && m.declared > 0 && !h.Command.Body() {
		err = &Error{Reason: ErrBodyNotAllowed, Command: h.Command}
	}
	m.size += len("\n")
	return m, stream{open: true, command: h.Command, declared: m.declared != undeclared, left: max(m.declared, 0)}, err
}

// check reports whether c fits the frame that is being streamed: a declared body gets exactly its octets, any
// other none that is NUL, which would end the frame for the peer.
func (s *stream) check(c *ContentSubframe) error {
	n := int64(c.Data.Len())
	switch {
	case !s.open:
		return &Error{Reason: ErrOutOfOrder}
	case n > 0 && !s.command.Body():
		return &Error{Reason: ErrBodyNotAllowed, Command: s.command}
	case s.declared && (n > s.left || c.Last && n < s.left), !s.declared && hasNul(c.Data.Bytes()):
		return &Error{Reason: ErrBadContentLength, Command: s.command}
	}
	return nil
}

// take counts c, which fits.
func (s *stream) take(c *ContentSubframe) {
	if s.declared {
		s.left -= int64(c.Data.Len())
	}
	s.open = !c.Last
}

// measure sums up the octets of command and headers, with escapes, and says what does not survive the way to the
// peer.
func (r *rules) measure(c Command, headers Headers) (measured, error) {
	m := measured{size: len(c) + len("\n"), declared: undeclared}
	if !plainCommand(c) {
		return m, &Error{Reason: ErrUnknownCommand, Text: string(c[:min(len(c), maxQuoted)])}
	}
	for i := range headers {
		h := &headers[i]
		m.size += len(h.Name) + len(h.Value) + len(":\n")
		var name, value uint64 // as findSpecial finds it, which is too large for the compiler to put in here
		if s := h.Name; len(s) >= 8 {
			name = specialWord(word(s[len(s)-8:]))
			for len(s) > 8 {
				name |= specialWord(word(s))
				s = s[8:]
			}
		} else {
			name = specialWord(short(s))
		}
		if s := h.Value; len(s) >= 8 {
			value = specialWord(word(s[len(s)-8:]))
			for len(s) > 8 {
				value |= specialWord(word(s))
				s = s[8:]
			}
		} else {
			value = specialWord(short(s))
		}
		if (name|value)&highs != 0 {
			more, ok := r.escapeSize(h, name&highs != 0, value&highs != 0)
			if !ok {
				return m, unencodable(c, h.Name)
			}
			m.size += more
			m.marked |= 1 << (i % 64)
		}
		switch len(h.Name) {
		case 0:
			return m, unencodable(c, h.Name)
		case len(HeaderContentLength):
			if h.Name == HeaderContentLength && !m.declare(h.Value) {
				return m, wrongLength(c, headers)
			}
		}
	}
	return m, nil
}

// declare takes one more content-length; all of them must agree, as readers disagree on which one counts.
func (m *measured) declare(value string) bool {
	n, ok := parseLength(value)
	if !ok || m.declared != undeclared && n != m.declared {
		return false
	}
	m.declared = n
	return true
}

// octets returns how many octets h takes without escapes.
func (h Headers) octets() int {
	n := len(":\n") * len(h)
	for i := range h {
		n += len(h[i].Name) + len(h[i].Value)
	}
	return n
}

// unencodable is the error for a header that would be read as something else.
func unencodable(c Command, name string) *Error {
	return &Error{Reason: ErrUnencodable, Command: c, Text: excerpt([]byte(name))}
}

// wrongLength is the error for a content-length that is not the length of the body.
func wrongLength(c Command, headers Headers) *Error {
	return &Error{Reason: ErrBadContentLength, Command: c, Text: excerpt([]byte(headers.Get(HeaderContentLength)))}
}

// plainCommand reports whether c can be a command line; those of the specification all can.
func plainCommand(c Command) bool {
	if c.Known() {
		return true
	}
	for i := range len(c) {
		if c[i] == 0 || c[i] == '\n' || c[i] == '\r' {
			return false
		}
	}
	return c != ""
}

// refThreshold is from how many octets on a body travels by reference: below it a copy is cheaper than two
// more pieces for the kernel, and leaves one buffer to queue.
const refThreshold = 1 << 10

// ownSize returns how many octets of b are copied when it is encoded: all of a body below copyBelow octets, and the
// small pieces of any other.
func (b *Body) ownSize(copyBelow int) int {
	if b.n < copyBelow || b.small != nil {
		return b.n
	}
	n := 0
	for i := range b.Parts() {
		if part := b.slice(i).Len(); part <= copyMax {
			n += part
		}
	}
	return n
}

// ownSize returns how many octets of c are copied when it is encoded, with the NUL.
func (c *ContentSubframe) ownSize(copyBelow int) int {
	n := c.Data.Len()
	if n >= copyBelow && n > copyMax {
		n = 0
	}
	if c.Last {
		n++
	}
	return n
}
