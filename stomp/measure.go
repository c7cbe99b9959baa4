package stomp

// stream is what the frame that is being streamed may still hold.
type stream struct {
	open     bool // the frame is unfinished
	command  Command
	declared bool
	left     int64 // octets missing from a declared body
}

// measureFrame checks f and returns how many octets of it are written into memory of the encoder's own when bodies
// below copyBelow octets are copied.
func (e *Encoder) measureFrame(f *Frame, copyBelow int) (int, error) {
	if err := e.checkFrame(f); err != nil {
		return 0, err
	}
	n, declared, err := measure(e.State.version(), f.Command, f.Headers)
	if err != nil {
		return 0, err
	}
	switch {
	case declared == undeclared && e.addsLength(&f.Body):
		n += len(HeaderContentLength) + len(":\n") + decimals(uint64(f.Body.n))
	case declared != undeclared && declared != int64(f.Body.n):
		return 0, wrongLength(f.Command, f.Headers)
	}
	return n + len("\n") + f.Body.ownSize(copyBelow) + 1, nil
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

// addsLength reports whether a frame with body b and no content-length gets one.
func (e *Encoder) addsLength(b *Body) bool {
	return b.n > 0 && (e.Length == LengthAlways || b.hasNul())
}

// measureHeaders checks h and returns its size and what the body of the frame may hold.
func (e *Encoder) measureHeaders(h *HeadersSubframe) (int, stream, error) {
	if e.stream.open {
		return 0, stream{}, &Error{Reason: ErrOutOfOrder, Command: h.Command}
	}
	n, declared, err := measure(e.State.version(), h.Command, h.Headers)
	if err == nil && declared > 0 && !h.Command.Body() {
		err = &Error{Reason: ErrBodyNotAllowed, Command: h.Command}
	}
	if err != nil {
		return 0, stream{}, err
	}
	return n + len("\n"), stream{open: true, command: h.Command, declared: declared != undeclared, left: max(declared, 0)}, nil
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
// peer. It returns the content-length that headers declare, too, or undeclared.
func measure(v Version, c Command, headers Headers) (n int, declared int64, err error) {
	if !plainCommand(c) {
		return 0, 0, &Error{Reason: ErrUnknownCommand, Text: string(c[:min(len(c), maxQuoted)])}
	}
	r := rulesFor(v, c)
	n = len(c) + len("\n")
	declared = undeclared
	for i := range headers {
		h := &headers[i]
		n += len(h.Name) + len(h.Value) + len(":\n")
		if len(h.Name) == 0 {
			return 0, 0, unencodable(c, h.Name)
		}
		if special(h.Name) || special(h.Value) {
			name, okName := r.names.sizeEscaped(h.Name)
			value, okValue := r.values.sizeEscaped(h.Value)
			if !okName || !okValue {
				return 0, 0, unencodable(c, h.Name)
			}
			n += name + value - len(h.Name) - len(h.Value)
		}
		if h.Name == HeaderContentLength {
			var ok bool
			if declared, ok = sameLength(declared, h.Value); !ok {
				return 0, 0, wrongLength(c, headers)
			}
		}
	}
	return n, declared, nil
}

// unencodable is the error for a header that would be read as something else.
func unencodable(c Command, name string) *Error {
	return &Error{Reason: ErrUnencodable, Command: c, Text: excerpt([]byte(name))}
}

// sameLength reads one more content-length; all of them must agree, as readers disagree on which one counts.
func sameLength(declared int64, value string) (int64, bool) {
	n, ok := parseLength(value)
	return n, ok && (declared == undeclared || n == declared)
}

// wrongLength is the error for a content-length that is not the length of the body.
func wrongLength(c Command, headers Headers) *Error {
	return &Error{Reason: ErrBadContentLength, Command: c, Text: excerpt([]byte(headers.Get(HeaderContentLength)))}
}

// plainCommand reports whether c can be a command line; those of the specification all can.
func plainCommand(c Command) bool {
	if !special(string(c)) {
		return c != ""
	}
	for i := range len(c) {
		if c[i] == 0 || c[i] == '\n' || c[i] == '\r' {
			return false
		}
	}
	return true
}

// decimals returns the number of digits of n.
func decimals(n uint64) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
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
