package stomp

import (
	"bytes"
	"math"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// undeclared stands for a body without content-length: its first NUL ends it.
const undeclared = -1

// parseLength reads a content-length: decimal digits only. A number that no int64 holds is the largest one.
func parseLength[T text](digits T) (n int64, ok bool) {
	if len(digits) == 0 {
		return 0, false
	}
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		if n > (math.MaxInt64-9)/10 {
			n = math.MaxInt64
		} else {
			n = n*10 + int64(c-'0')
		}
	}
	return n, true
}

// declare takes the first content-length header. A length over the limit fails here, before any of the body
// is read or memory for it is taken.
func (d *Decoder) declare(value []byte) error {
	n, ok := parseLength(value)
	if !ok {
		return d.head.refuse(ErrBadContentLength, 0, value)
	}
	if n > 0 && d.bodyRefused() {
		return d.head.refuse(ErrBodyNotAllowed, 0, value)
	}
	if n > d.head.limits.Body {
		return d.head.refuse(ErrBodyTooLarge, d.head.limits.Body, value)
	}
	d.declared = n
	return nil
}

// bodyRefused reports whether the frame must not have a body and somebody cares.
func (d *Decoder) bodyRefused() bool {
	if !d.Strict || d.head.command.Body() {
		return false
	}
	v := d.State.version()
	return v == Version11 || v == Version12
}

// endHead consumes a complete head, whose octets b begins with, and returns what is complete now: the headers
// subframe, or the whole frame if its body is there and short.
func (d *Decoder) endHead(in *buffer.Buffer, b []byte) (any, error) {
	h := &d.head
	d.phase = phaseBody
	if d.declared == 0 {
		d.phase = phaseEnd
	}
	if d.Stream {
		s := NewHeaders(h.command)
		mem, base := d.copyHead(&s.textStore, b, 0)
		s.Headers = h.list(room(&s.own, len(h.entries)), mem, base)
		in.Skip(h.line)
		d.startBody(s.Headers)
		return s, nil
	}
	f := NewFrame(h.command)
	n, whole := d.shortBody(b[h.line:])
	mem, base := d.copyHead(&f.textStore, b, n)
	f.Headers = h.list(room(&f.own, len(h.entries)), mem, base)
	d.startBody(f.Headers)
	if !whole {
		in.Skip(h.line)
		d.frame = f
		return nil, nil
	}
	f.Body.borrow(mem[len(mem)-n:])
	in.Skip(h.line + n + 1)
	d.phase = phaseBetween
	return f, nil
}

// copyHead copies the header lines and the n octets behind the head into t, and returns the copy and the offset
// that it has in b.
func (d *Decoder) copyHead(t *textStore, b []byte, n int) (mem []byte, base int) {
	h := &d.head
	base = h.line
	if len(h.entries) > 0 {
		base = int(h.entries[0].start)
	}
	mem = t.take(h.line+n-base, d.body.alloc)
	copy(mem, b[base:])
	return mem, base
}

// startBody forgets the head, whose octets are consumed.
func (d *Decoder) startBody(headers Headers) {
	d.head.entries = d.head.entries[:0]
	if d.head.command == CommandConnected {
		d.State.received(headers)
	}
}

// shortBody returns the length of the body that b begins with, if all of it is there, it is worth copying, and
// nothing is wrong with it. Anything else is for readBody.
func (d *Decoder) shortBody(b []byte) (n int, whole bool) {
	if d.declared != undeclared {
		if n = int(min(d.declared, copyBelow)); n < min(len(b), copyBelow) && b[n] == 0 {
			return n, true
		}
		return 0, false
	}
	if len(b) > 0 && b[0] == 0 {
		return 0, true
	}
	b = b[:min(len(b), copyBelow)]
	n = bytes.IndexByte(b, 0)
	if n < 0 {
		d.work += uint64(len(b))
		return 0, false
	}
	d.work += uint64(n)
	if d.checkUndeclared(n) != nil {
		return 0, false
	}
	return n, true
}

// readBody consumes what is there of the body.
func (d *Decoder) readBody(in *buffer.Buffer) (any, error) {
	b := in.Bytes()
	if d.Stream && len(b) > d.head.limits.Chunk {
		b = b[:d.head.limits.Chunk]
	}
	n, last := len(b), false // octets of the body in b, and whether they end the frame
	if d.declared == undeclared {
		if nul := bytes.IndexByte(b, 0); nul >= 0 {
			n, last = nul, true
		}
		d.work += uint64(n)
		if err := d.checkUndeclared(n); err != nil {
			return nil, err
		}
	} else if left := d.declared - d.taken; int64(n) >= left {
		n = int(left)
		if n < in.Len() {
			last = in.Bytes()[n] == 0
		}
		d.phase = phaseEnd
	}
	d.taken += int64(n)
	if last {
		d.phase = phaseBetween
	}
	if d.Stream {
		return d.chunk(in, n, last), nil
	}
	if !last {
		d.body.read(in, n)
		return nil, nil
	}
	return d.endFrame(in, n), nil
}

// checkUndeclared looks at the limits before n more octets of a body without content-length are taken.
func (d *Decoder) checkUndeclared(n int) error {
	if n > 0 && d.bodyRefused() {
		return d.head.refuse(ErrBodyNotAllowed, 0, nil)
	}
	if d.taken+int64(n) > d.head.limits.Body {
		return d.head.refuse(ErrBodyTooLarge, d.head.limits.Body, nil)
	}
	return nil
}

// chunk consumes n octets, and the NUL behind them if they are the last, as a content subframe.
func (d *Decoder) chunk(in *buffer.Buffer, n int, last bool) any {
	var data buffer.Slice
	switch {
	case last:
		data = d.body.whole(in, n)
		in.Skip(1)
	default:
		data = d.body.piece(in, n)
	}
	return NewContent(data, last)
}

// endFrame consumes the last n octets of a body and the NUL and returns the frame. A body that is all in one
// buffer is not copied, unless it is a small part of it.
func (d *Decoder) endFrame(in *buffer.Buffer, n int) *Frame {
	f := d.frame
	d.frame = nil
	if d.body.len() == 0 {
		f.Body.Append(d.body.whole(in, n))
	} else {
		d.body.read(in, n)
		d.body.moveTo(&f.Body)
	}
	in.Skip(1)
	return f
}

// readEnd takes the NUL that must stand behind a declared body.
func (d *Decoder) readEnd(in *buffer.Buffer) (any, error) {
	if c := in.Peek(1); c[0] != 0 {
		return nil, d.head.refuse(ErrMissingNul, 0, c)
	}
	d.phase = phaseBetween
	if d.Stream {
		return d.chunk(in, 0, true), nil
	}
	return d.endFrame(in, 0), nil
}
