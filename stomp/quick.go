package stomp

import (
	"encoding/binary"
	"math/bits"
)

// quickLines takes complete lines from h.line on and reports whether the empty one was among them. It looks at eight
// octets together, and for colons, escapes and line ends in one pass. The line where it stops is unfinished, wrong or
// unusual, and is for readLine, which has the last word.
func (d *Decoder) quickLines(b []byte) (done bool, err error) {
	h := &d.head
	if h.seen != h.line {
		return false, nil // a line that is continued: none of it is looked at again
	}
	b = b[:min(len(b), h.limits.Head)]
	if h.line == 0 && !d.quickCommand(b) {
		return false, nil
	}
	start, colon := h.line, 0
	h.escape, h.escaped = 0, 0
scan:
	for p := start; p < len(b); p += 8 {
		for marks := marksOf(wordAt(b, p)); marks != 0; marks &= marks - 1 {
			i := p + bits.TrailingZeros64(marks)/8
			switch c := b[i]; {
			case c == ':' && colon == 0 && i > start:
				colon = i
			case c == '\n' && colon > 0:
				if ok := h.add(b, start, colon, i); !ok {
					break scan
				}
				if d.declared == undeclared && colon-start == len(HeaderContentLength) {
					if err = d.declareLast(b); err != nil {
						break scan
					}
				}
				start, colon = i+1, 0
			case c == '\n':
				if done = i == start || i == start+1 && h.rules.crlf && b[start] == '\r'; done {
					start = i + 1
				}
				break scan
			default:
				if !h.octet(b, i, d.Strict) {
					break scan
				}
			}
		}
	}
	d.work += uint64(start - h.line)
	h.line, h.seen = start, start
	return done, err
}

// quickCommand takes the first line if it is a command and LF.
func (d *Decoder) quickCommand(b []byte) bool {
	h := &d.head
	n, marks := 0, marksOf(wordAt(b, 0))
	if marks == 0 && len(b) > 8 {
		n, marks = 8, marksOf(wordAt(b, 8))
	}
	n += bits.TrailingZeros64(marks) / 8
	if n >= len(b) || b[n] != '\n' || n > h.limits.Line {
		return false
	}
	command := commandOf(b[:n])
	if command == "" {
		return false
	}
	h.command, h.rules = command, rulesFor(d.State.version(), command)
	h.line = n + 1
	d.work += uint64(n + 1)
	return true
}

// add appends the header line that ends before the LF at end, if it is within the limits.
func (h *head) add(b []byte, start, colon, end int) bool {
	if h.rules.crlf && b[end-1] == '\r' {
		end--
	}
	if end-start > h.limits.Line || len(h.entries) >= h.limits.Headers {
		return false
	}
	h.entries = append(h.entries, entry{int32(start), int32(colon), int32(end), h.escape})
	h.escape = 0
	return true
}

// declareLast takes the last entry if it is a content-length.
func (d *Decoder) declareLast(b []byte) error {
	e := d.head.entries[len(d.head.entries)-1]
	if string(b[e.start:e.colon]) != HeaderContentLength {
		return nil
	}
	return d.declare(b[e.colon+1 : e.end])
}

// octet reports whether what b has at i, where there is a mark, may stand in a header text, and takes note of escapes.
func (h *head) octet(b []byte, i int, strict bool) bool {
	r := h.rules
	switch c := b[i]; c {
	case ':':
		return b[i-1] != '\n' && !(strict && r.escapes != escapesNone)
	case '\\':
		if r.escapes == escapesNone || i < h.escaped {
			return true
		}
		if i+1 == len(b) {
			return false
		}
		_, ok := r.escapes.octetOf(b[i+1])
		h.escaped = i + 2
		if h.escape == 0 {
			h.escape = int32(i)
		}
		return ok
	case '\r':
		return !r.crlf || i+1 < len(b) && b[i+1] == '\n'
	}
	return b[i] != 0
}

// wordAt returns eight octets of b from p on, filled up with blanks behind the end.
func wordAt(b []byte, p int) uint64 {
	if len(b)-p >= 8 {
		return binary.LittleEndian.Uint64(b[p:])
	}
	return lastWord(b[p:])
}

func lastWord(b []byte) uint64 {
	w := uint64(blanks)
	for i := len(b) - 1; i >= 0; i-- {
		w = w<<8 | uint64(b[i])
	}
	return w
}

// marksOf returns w with the high bit of each octet set that is below 0x10, a colon or a backslash, and all other bits
// zero. Unlike specialWord it is right for each octet, not only the first that it finds: nothing is carried over.
func marksOf(w uint64) uint64 {
	const sevens = ^uint64(highs)
	low := w & sevens
	plain := (w&(ones*0x70) + sevens) & ((low ^ ones*':') + sevens) & ((low ^ ones*'\\') + sevens)
	return ^(plain | w) & highs
}
