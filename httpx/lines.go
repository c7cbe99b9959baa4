package httpx

import "bytes"

// lines finds the lines of a head in a window that grows between calls. It never looks at an octet twice for the line
// end: seen remembers how far the search went, so the work is linear however the input is cut.
type lines struct {
	at   int // where the current line begins, from the window's start
	seen int // octets of the window known to have no LF behind at
	base int // where the field section begins

	folded bool // a field line was continued
}

// lineStatus is what next found.
type lineStatus uint8

const (
	lineWhole   lineStatus = iota
	linePartial            // its end is not there yet
	lineTooLong            // its end is not before the limit
	lineBareLF             // it ends in LF without CR
)

// next returns the end of the line that begins at l.at, its line end excluded, and moves on to the line behind it. The
// whole line must end before limit, an offset of the window. RFC 9112, 2.2.
func (l *lines) next(b []byte, limit int, bareLF bool) (end int, status lineStatus) {
	window := b[:min(len(b), limit)]
	i := bytes.IndexByte(window[l.seen:], '\n')
	if i < 0 {
		l.seen = len(window)
		if len(window) == limit {
			return 0, lineTooLong
		}
		return 0, linePartial
	}
	lf := l.seen + i
	end = lf
	if end > l.at && b[end-1] == '\r' {
		end--
	} else if !bareLF {
		return 0, lineBareLF
	}
	l.at, l.seen = lf+1, lf+1
	return end, lineWhole
}

// lineError is the error for a status that is neither lineWhole nor linePartial; tooLong is the status to answer.
func lineError(status lineStatus, tooLong int, what string) error {
	if status == lineTooLong {
		return refuse(tooLong, what)
	}
	return refuse(statusBadRequest, "bare LF")
}

// fields parses field lines into h until the empty line; done is false when that is not there yet. The spans count from
// the window's start. RFC 9112, 5.
func (l *lines) fields(b []byte, h *Header, c *DecoderConfig) (done bool, err error) {
	limit := l.base + c.Limits.Head + len("\r\n")
	window := b[:min(len(b), limit)]
	for {
		if l.seen == l.at { // not in the middle of a line that is searched already
			at := h.scan(window, l.at, c.Limits.Fields)
			if len(window)-at >= len("\r\n") && window[at] == '\r' && window[at+1] == '\n' {
				l.at, l.seen = at+2, at+2
				return true, nil
			}
			l.at, l.seen = at, at
		}
		start := l.at
		end, status := l.next(b, limit, c.AllowBareLF)
		switch {
		case status == linePartial:
			return false, nil
		case status != lineWhole:
			return false, lineError(status, statusHeadTooLarge, "header too large")
		case end == start:
			return true, nil
		}
		switch {
		case isBlank(b[start]):
			err = l.fold(b, h, start, end, c.UnfoldLines)
		case len(h.fields) >= c.Limits.Fields:
			err = refuse(statusHeadTooLarge, "too many fields")
		default:
			err = h.parse(b[start:end], start)
		}
		if err != nil {
			return false, err
		}
	}
}

// parse notes a field line that begins at start of the window.
func (h *Header) parse(line []byte, start int) error {
	colon, from, to, err := splitField(line)
	if err != nil {
		return err
	}
	h.note(field{
		name: uint32(start), nameLen: uint16(colon),
		value: uint32(start + from), valueLen: uint32(to - from),
		is: nameOf(line[:colon]),
	})
	return nil
}

// splitField checks a field line and returns where its name ends and its value line[from:to] is, the blanks around it
// cut off. RFC 9112, 5.1.
func splitField(line []byte) (colon, from, to int, err error) {
	colon = tokenEnd(line)
	if colon == 0 || colon == len(line) || line[colon] != ':' || colon > maxNameBytes {
		return 0, 0, 0, badName(line, colon)
	}
	from, to = skipBlanks(line, colon+1), len(line)
	for to > from && isBlank(line[to-1]) {
		to--
	}
	if value := line[from:to]; !validValue(value) {
		return 0, 0, 0, badValue(value)
	}
	return colon, from, to, nil
}

// badName tells what is wrong with a line whose first n octets are a token.
func badName(line []byte, n int) error {
	reason := "bad field name"
	switch {
	case n == len(line):
		reason = "no colon"
	case n == 0 && line[0] == ':':
		reason = "empty field name"
	case n > 0 && isBlank(line[n]) && bytes.HasPrefix(bytes.TrimLeft(line[n:], " \t"), []byte(":")):
		// RFC 9112, 5.1: such a line has been read as two different fields.
		reason = "space before colon"
	}
	return refuse(statusBadRequest, reason)
}

func badValue(value []byte) error {
	if bytes.IndexByte(value, '\r') >= 0 {
		return refuse(statusBadRequest, "bare CR")
	}
	return refuse(statusBadRequest, "bad field value")
}
