package stomp

import (
	"encoding/binary"
	"math/bits"
)

// quickLines takes complete lines from h.line on and reports whether the empty one was among them. It looks at eight
// octets together, and for colon and line end in one pass. The line where it stops is unfinished, wrong or unusual,
// and is for readLine, which has the last word.
func (d *Decoder) quickLines(b []byte) (done bool, err error) {
	h := &d.head
	if h.seen != h.line {
		return false, nil // a line that is continued: none of it is looked at again
	}
	if h.line == 0 && !d.quickCommand(b) {
		return false, nil
	}
	b = b[:min(len(b), h.limits.Head)]
	start := h.line
	for {
		e, next := h.quickLine(b, start, d.Strict)
		if next == 0 {
			break
		}
		if e.colon == 0 {
			start, done = next, true
			break
		}
		if len(h.entries) >= h.limits.Headers {
			break
		}
		if d.declared == undeclared && string(b[e.start:e.colon]) == HeaderContentLength {
			if err = d.declare(b[e.colon+1 : e.end]); err != nil {
				break
			}
		}
		h.entries = append(h.entries, e)
		start = next
	}
	d.work += uint64(start - h.line)
	h.line, h.seen = start, start
	return done, err
}

// quickCommand takes the first line if it is the command and LF.
func (d *Decoder) quickCommand(b []byte) bool {
	h := &d.head
	n := findMark(b, 0, marks['\n'])
	if n == len(b) || b[n] != '\n' || n > h.limits.Line || n >= h.limits.Head {
		return false
	}
	command := commandOf(b[:n])
	if command == "" {
		return false
	}
	h.command, h.rules = command, rulesFor(d.State.version(), command)
	h.line, h.seen = n+1, n+1
	d.work += uint64(n + 1)
	return true
}

// quickLine returns the header line that begins at start and where the next one begins. next is 0 when readLine has
// to look at it. The empty line has no colon.
func (h *head) quickLine(b []byte, start int, strict bool) (e entry, next int) {
	colon := findMark(b, start, marks[':'])
	if colon == len(b) {
		return e, 0
	}
	if colon == start {
		next = h.rules.lineEnd(b, start)
		return e, next
	}
	if b[colon] != ':' {
		return e, 0
	}
	third := marks['\\']
	if strict && h.rules.escapes != escapesNone {
		third = marks[':']
	}
	escaped := false
	for p := colon + 1; ; {
		p = findMark(b, p, third)
		if p == len(b) {
			return e, 0
		}
		if next = h.rules.lineEnd(b, p); next > 0 {
			if p-start > h.limits.Line {
				return e, 0
			}
			return entry{int32(start), int32(colon), int32(p), escaped}, next
		}
		n := h.rules.valueOctets(b, p)
		if n == 0 {
			return e, 0
		}
		escaped = escaped || n == 2
		p += n
	}
}

// lineEnd returns the offset behind the line end at p, 0 when there is none.
func (r *rules) lineEnd(b []byte, p int) int {
	switch {
	case b[p] == '\n':
		return p + 1
	case b[p] == '\r' && r.crlf && p+1 < len(b) && b[p+1] == '\n':
		return p + 2
	}
	return 0
}

// valueOctets returns how many octets of b at p, where findMark stopped, are one octet of a value: 2 for an escape, 0
// for what is none.
func (r *rules) valueOctets(b []byte, p int) int {
	switch c := b[p]; {
	case c == '\\' && r.escapes != escapesNone:
		if p+1 < len(b) {
			if _, ok := r.escapes.octetOf(b[p+1]); ok {
				return 2
			}
		}
		return 0
	case c == 0, c == ':', c == '\r' && r.crlf:
		return 0
	}
	return 1
}

// marks has eight copies of an octet in a word.
var marks = [...]uint64{'\n': ones * '\n', ':': ones * ':', '\\': ones * '\\'}

// findMark returns the offset of the first octet of b, from p on, that is below 0x10, a backslash, or the octet that
// mark has copies of. It is len(b) when there is none.
func findMark(b []byte, p int, mark uint64) int {
	for ; p+8 <= len(b); p += 8 {
		w := binary.LittleEndian.Uint64(b[p:])
		if found := ((w - ones*0x10) | ((w ^ ones*'\\') - ones) | ((w ^ mark) - ones)) &^ w & highs; found != 0 {
			return p + bits.TrailingZeros64(found)/8
		}
	}
	for ; p < len(b); p++ {
		if c := b[p]; c < 0x10 || c == '\\' || c == byte(mark) {
			return p
		}
	}
	return p
}
