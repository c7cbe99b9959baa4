package stomp

import (
	"bytes"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// head is the unfinished command and header lines of a frame. The octets stay in the decoder's input, which
// begins with the command; head has offsets into it.
type head struct {
	asked   Limits // as the decoder has them
	limits  Limits // with the defaults in place
	command Command
	rules   *rules
	line    int     // offset where the line that is being read begins
	seen    int     // offset up to which the octets have been looked at
	entries []entry // header lines that are complete
	escape  int32   // offset of the first escape of the line at hand, 0 when it has none
	escaped int     // offset behind its last one
	few     [12]entry
}

// entry is a complete header line: its offsets, and that of its first escape, 0 when it has none.
type entry struct{ start, colon, end, escape int32 }

func (h *head) start(limits Limits) {
	if limits != h.asked || h.limits.Line == 0 {
		h.asked, h.limits = limits, limits.filled()
	}
	h.command = ""
	h.line, h.seen = 0, 0
	if h.entries = h.entries[:0]; cap(h.entries) == 0 || cap(h.entries) > maxKept {
		h.entries = h.few[:0]
	}
}

func (h *head) reset() {
	h.entries = nil
	h.command = ""
}

// readHead looks at the octets that have come since the last call and, when the head is complete, consumes it.
func (d *Decoder) readHead(in *buffer.Buffer) (any, error) {
	h := &d.head
	b := in.Bytes()
	for {
		done, err := d.quickLines(b)
		if err == nil && !done {
			n := bytes.IndexByte(b[h.seen:], '\n')
			if n < 0 {
				fresh := b[h.seen:]
				d.work += 2 * uint64(len(fresh)) // quickLines may have looked, too
				h.seen = len(b)
				return nil, h.fault(b[h.line:], fresh, false)
			}
			line := b[h.line : h.seen+n]
			d.work += 2 * uint64(n+1)
			h.seen += n + 1
			done, err = d.readLine(line)
		}
		if err != nil {
			return nil, err
		}
		h.line = h.seen
		if done {
			return d.endHead(in, b)
		}
	}
}

// readLine takes one complete line without its LF; done means that it was the empty one.
func (d *Decoder) readLine(line []byte) (done bool, err error) {
	h := &d.head
	if err := h.fault(line, line, true); err != nil {
		return false, err
	}
	if h.line == 0 {
		return false, d.readCommand(line)
	}
	if h.rules.crlf {
		line = bytes.TrimSuffix(line, []byte{'\r'})
	}
	if len(line) == 0 {
		return true, nil
	}
	return false, d.readHeader(line)
}

// readCommand takes the first line. A CR at its end belongs to the line end if the command may come before
// the version is agreed on, or if the version has such line ends.
func (d *Decoder) readCommand(line []byte) error {
	h := &d.head
	name := bytes.TrimSuffix(line, []byte{'\r'})
	h.command = commandOf(name)
	if h.command == "" {
		if !d.AllowUnknown {
			return &Error{Reason: ErrUnknownCommand, Text: excerpt(name)}
		}
		h.command = Command(name)
	}
	h.rules = rulesFor(d.State.version(), h.command)
	if len(name) < len(line) && !h.rules.crlf || bytes.IndexByte(name, '\r') >= 0 {
		return &Error{Reason: ErrBadCR, Text: excerpt(line)}
	}
	return nil
}

// readHeader takes one header line without its line end. STOMP 1.2, "Augmented BNF": name, colon, value.
func (d *Decoder) readHeader(line []byte) error {
	h := &d.head
	if len(h.entries) >= h.limits.Headers {
		return h.refuse(ErrTooManyHeaders, int64(h.limits.Headers), line)
	}
	if h.rules.crlf && bytes.IndexByte(line, '\r') >= 0 {
		return h.refuse(ErrBadCR, 0, line)
	}
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 {
		return h.refuse(ErrBadHeader, 0, line)
	}
	name, value := line[:colon], line[colon+1:]
	escape := 0
	if h.rules.escapes != escapesNone {
		if at := bytes.IndexByte(line, '\\'); at >= 0 {
			if !h.rules.escapes.valid(name) || !h.rules.escapes.valid(value) {
				return h.refuse(ErrBadEscape, 0, line)
			}
			escape = h.line + at
		}
	}
	if d.Strict && h.rules.escapes != escapesNone && bytes.IndexByte(value, ':') >= 0 {
		return h.refuse(ErrColonInValue, 0, line)
	}
	if d.declared == undeclared && string(name) == HeaderContentLength {
		if err := d.declare(value); err != nil {
			return err
		}
	}
	h.entries = append(h.entries, entry{int32(h.line), int32(h.line + colon), int32(h.line + len(line)), int32(escape)})
	return nil
}

// fault finds what is wrong with the line that begins in seg, whatever follows: a NUL, too many octets in the
// line or in the head. Only the octets fresh at its end can hold a NUL. What was wrong first counts, so that
// the answer does not depend on how the octets were cut. complete: a LF follows seg.
func (h *head) fault(seg, fresh []byte, complete bool) error {
	total := len(seg)
	if complete {
		total++
	}
	lineEnd := h.limits.Line // the offset of the first octet that is too much
	if len(seg) > lineEnd && seg[lineEnd] == '\r' && (h.line == 0 || h.rules.crlf) {
		lineEnd++
	}
	headEnd := h.limits.Head - h.line
	if nul := bytes.IndexByte(fresh, 0); nul >= 0 {
		if nul += len(seg) - len(fresh); nul <= min(lineEnd, headEnd) {
			return h.refuse(ErrBadHeader, 0, seg)
		}
	}
	if len(seg) > lineEnd && lineEnd <= headEnd {
		return h.refuse(ErrLineTooLong, int64(h.limits.Line), seg)
	}
	if total > headEnd {
		return h.refuse(ErrHeadTooLarge, int64(h.limits.Head), seg)
	}
	return nil
}

// refuse makes the error for a line.
func (h *head) refuse(reason Reason, limit int64, line []byte) *Error {
	return &Error{Reason: reason, Command: h.command, Limit: limit, Text: excerpt(line)}
}

// list writes the entries to headers, which has room. mem has a copy of the octets from offset base on, which the
// strings will be views of; escapes are replaced in place, as they only become shorter.
func (h *head) list(headers Headers, mem []byte, base int) Headers {
	text := viewOf(mem)
	headers = headers[:len(h.entries)]
	for i := range h.entries {
		e := &h.entries[i]
		start, colon, end := int(e.start)-base, int(e.colon)-base, int(e.end)-base
		to := &headers[i]
		nameEnd, valueEnd := colon, end
		if e.escape > 0 {
			nameEnd, valueEnd = h.unescape(mem, int(e.escape)-base, colon, end)
		}
		if to.Name = commonName(mem[start:nameEnd]); to.Name == "" {
			to.Name = text[start:nameEnd]
		}
		to.Value = text[colon+1 : valueEnd]
	}
	return headers
}

// unescape replaces the escapes of a line, the first of which is at offset from of mem, and returns where name and
// value end then.
func (h *head) unescape(mem []byte, from, colon, end int) (nameEnd, valueEnd int) {
	nameEnd = colon
	if from < colon {
		nameEnd = from + h.rules.escapes.unescape(mem[from:colon])
		from = colon + 1
	}
	return nameEnd, from + h.rules.escapes.unescape(mem[from:end])
}

// find returns a copy of the first value of name, "" when there is none. b is the input that the entries point into.
func (h *head) find(name string, b []byte) string {
	for _, e := range h.entries {
		if string(b[e.start:e.colon]) == name {
			value := bytes.Clone(b[e.colon+1 : e.end])
			if e.escape > 0 {
				value = value[:h.rules.escapes.unescape(value)]
			}
			return string(value)
		}
	}
	return ""
}
