package stomp

// plan is what a look at a message found out before anything of it is written.
type plan struct {
	escapes escapes
	raw     bool // no header holds an octet that is escaped
	length  bool // content-length is added
	head    int  // octets of command and headers
	body    int  // octets of the body
	own     int  // of these, copied behind the head instead of referenced
	flow    stream
}

// stream is what the frame that is being streamed may still hold.
type stream struct {
	command  Command
	declared bool
	left     int64 // octets missing from a declared body
}

// planFrame checks f and computes its size.
func (e *Encoder) planFrame(f *Frame) (plan, error) {
	p := plan{body: f.Body.n}
	if e.open {
		return p, &Error{Reason: ErrOutOfOrder, Command: f.Command}
	}
	if p.body > 0 && !f.Command.Body() {
		return p, &Error{Reason: ErrBodyNotAllowed, Command: f.Command}
	}
	declared, err := p.measure(e.State.version(), f.Command, f.Headers)
	if err != nil {
		return p, err
	}
	switch {
	case declared == undeclared:
		p.length = p.body > 0 && (e.Length == LengthAlways || f.Body.hasNul())
	case declared != int64(p.body):
		return p, wrongLength(f.Command, f.Headers)
	}
	if p.length {
		p.head += len(HeaderContentLength) + len(":\n") + decimals(p.body)
	}
	p.own = f.Body.ownSize()
	return p, nil
}

// ownSize returns how many octets of b are copied when it is encoded: all of a small body, the small pieces of
// a large one.
func (b *Body) ownSize() int {
	if b.n < refThreshold {
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

// planHeaders checks h and computes its size. The body is checked as it comes.
func (e *Encoder) planHeaders(h *HeadersSubframe) (plan, error) {
	var p plan
	if e.open {
		return p, &Error{Reason: ErrOutOfOrder, Command: h.Command}
	}
	declared, err := p.measure(e.State.version(), h.Command, h.Headers)
	if err != nil {
		return p, err
	}
	if declared > 0 && !h.Command.Body() {
		return p, &Error{Reason: ErrBodyNotAllowed, Command: h.Command}
	}
	p.flow = stream{command: h.Command, declared: declared != undeclared, left: max(declared, 0)}
	return p, nil
}

// checkContent reports whether c fits the frame that is being streamed: a declared body gets exactly its
// octets, any other none that is NUL, which would end the frame for the peer.
func (e *Encoder) checkContent(c *ContentSubframe) error {
	n := int64(c.Data.Len())
	switch {
	case !e.open:
		return &Error{Reason: ErrOutOfOrder}
	case n > 0 && !e.flow.command.Body():
		return &Error{Reason: ErrBodyNotAllowed, Command: e.flow.command}
	case e.flow.declared && (n > e.flow.left || c.Last && n < e.flow.left):
		return &Error{Reason: ErrBadContentLength, Command: e.flow.command}
	case !e.flow.declared && hasNul(c.Data.Bytes()):
		return &Error{Reason: ErrBadContentLength, Command: e.flow.command}
	}
	return nil
}

// take counts n octets of a declared body.
func (s *stream) take(n int) {
	if s.declared {
		s.left -= int64(n)
	}
}

// measure sums up command and headers, with escapes, and refuses what does not survive the way to the peer.
// It returns the content-length that the headers declare, or undeclared.
func (p *plan) measure(v Version, c Command, headers Headers) (declared int64, err error) {
	if !c.Known() && !plainCommand(c) {
		return 0, &Error{Reason: ErrUnknownCommand, Text: string(c[:min(len(c), maxQuoted)])}
	}
	r := rulesFor(v, c)
	p.escapes, p.raw = r.escapes, true
	p.head = len(c) + len("\n\n")
	declared = undeclared
	for i := range headers {
		h := &headers[i]
		p.head += len(h.Name) + len(h.Value) + len(":\n")
		if special(h.Name) || special(h.Value) || h.Name == "" {
			grows, ok := r.cost(h)
			if !ok {
				return 0, &Error{Reason: ErrUnencodable, Command: c, Text: excerpt([]byte(h.Name))}
			}
			p.head += grows
			p.raw = p.raw && grows == 0
		}
		if h.Name == HeaderContentLength {
			n, ok := parseLength(h.Value)
			if !ok || declared != undeclared && n != declared {
				return 0, wrongLength(c, headers)
			}
			declared = n
		}
	}
	return declared, nil
}

// wrongLength is the error for a content-length that is not the length of the body, or that is there twice
// with different values: readers disagree on which of them counts.
func wrongLength(c Command, headers Headers) *Error {
	return &Error{Reason: ErrBadContentLength, Command: c, Text: excerpt([]byte(headers.Get(HeaderContentLength)))}
}

// cost returns how many octets escaping adds to h, and whether h can be written at all. NUL ends a frame for
// many readers wherever it stands. Without escapes LF ends the line and a colon the name; CR is lost where
// lines may end in CR LF.
func (r rules) cost(h *Header) (grows int, ok bool) {
	if h.Name == "" {
		return 0, false
	}
	for n, s := range [...]string{h.Name, h.Value} {
		for i := range len(s) {
			c := s[i]
			switch {
			case c == 0:
				return 0, false
			case r.escapes.escapeOf(c) != 0:
				grows++
			case c == '\n' || c == '\r' && r.crlf || c == ':' && n == 0:
				return 0, false
			}
		}
	}
	return grows, true
}

// plainCommand reports whether c, which is no command of the specification, can be a command line.
func plainCommand(c Command) bool {
	for i := range len(c) {
		if c[i] == 0 || c[i] == '\n' || c[i] == '\r' {
			return false
		}
	}
	return c != ""
}

// decimals returns the number of digits of n, which is not negative.
func decimals(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}
