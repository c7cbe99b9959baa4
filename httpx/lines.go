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
	for {
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
		if isBlank(b[start]) {
			err = l.fold(b, h, start, end, c.UnfoldLines)
		} else if len(h.fields) >= c.Limits.Fields {
			err = refuse(statusHeadTooLarge, "too many fields")
		} else {
			err = h.parse(b, start, end)
		}
		if err != nil {
			return false, err
		}
	}
}

// parse notes the field line b[start:end].
func (h *Header) parse(b []byte, start, end int) error {
	colon, from, to, err := splitField(b, start, end)
	if err != nil {
		return err
	}
	is := nameOf(b[start:colon])
	h.fields = append(h.fields, field{
		name: uint32(start), nameLen: uint16(colon - start),
		value: uint32(from), valueLen: uint32(to - from),
		is: is,
	})
	h.present |= is.bit()
	return nil
}

// splitField checks the field line b[start:end] and returns where its name ends and its value b[from:to] is, the blanks
// around it cut off. RFC 9112, 5.1.
func splitField(b []byte, start, end int) (colon, from, to int, err error) {
	colon = tokenEnd(b[:end], start)
	if colon == start || colon == end || b[colon] != ':' || colon-start > maxNameBytes {
		return 0, 0, 0, badName(b[start:end], colon-start)
	}
	from, to = skipBlanks(b[:end], colon+1), end
	for to > from && isBlank(b[to-1]) {
		to--
	}
	if value := b[from:to]; !validValue(value) {
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
