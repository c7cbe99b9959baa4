package stomp

import "unsafe"

// draft is the head of a message as octets. Size has to look at every octet anyway, so it writes them, and the
// Encode that follows copies what is there. It does so only if the message has not changed: the draft has a copy of
// the header list that it was made of, which keeps those texts where they are, so that a text at the same place in
// memory is the same text.
type draft struct {
	octets   []byte // command and header lines, without the empty line
	declared int64  // content-length among the headers, or undeclared
	valid    bool
	version  Version
	command  Command
	headers  Headers
}

// maxDraft is up to how many octets a draft keeps its memory for the next message of its connection.
const maxDraft = 1 << 10

// prepare makes d the draft of command and headers, unless it is already.
func (d *draft) prepare(v Version, c Command, headers Headers) error {
	if d.is(v, c, headers) {
		return nil
	}
	return d.write(v, c, headers)
}

// forget lets go of the texts, and of memory that is larger than usual.
func (d *draft) forget() {
	d.valid = false
	if cap(d.octets) > maxDraft || cap(d.headers) > maxKept {
		*d = draft{}
		return
	}
	clear(d.headers)
}

// is reports whether d was made of the same message.
func (d *draft) is(v Version, c Command, headers Headers) bool {
	if !d.valid || d.version != v || d.command != c || len(d.headers) != len(headers) {
		return false
	}
	for i := range headers {
		h, was := &headers[i], &d.headers[i]
		if !same(h.Name, was.Name) || !same(h.Value, was.Value) {
			return false
		}
	}
	return true
}

// same reports whether a and b are one text in memory.
func same(a, b string) bool { return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b) }

// write makes d the draft of command and headers, or returns what forbids it.
func (d *draft) write(v Version, c Command, headers Headers) error {
	d.valid = false
	n, declared := putHead(d.octets[:cap(d.octets)], v, c, headers)
	if n < 0 { // too long, or forbidden
		size, _, err := measure(v, c, headers)
		if err != nil {
			return err
		}
		d.octets = make([]byte, size)
		if n, declared = putHead(d.octets, v, c, headers); n < 0 {
			return &Error{Reason: ErrUnencodable, Command: c}
		}
	}
	d.octets, d.declared, d.valid = d.octets[:n], declared, true
	d.version, d.command, d.headers = v, c, append(d.headers[:0], headers...)
	return nil
}
