package httpx

import "slices"

// A Header under construction keeps its lines dense and in order, each as `name ": " value CRLF`: the invariant behind
// appendWire's single copy. What follows maintains it.

const lineOverhead = len(": \r\n")

// Memory of a Header beyond these is not kept for reuse: one large head must not stay with every pooled message.
const (
	keptWireBytes = 4 << 10
	keptFields    = 128
)

// appendField appends a line that has been checked.
func appendField[N, V text](h *Header, name N, value V, is fieldName) {
	start := len(h.wire)
	h.wire = append(h.wire, name...)
	h.wire = append(h.wire, ": "...)
	h.note(field{
		name: uint32(start), nameLen: uint16(len(name)),
		value: uint32(len(h.wire)), valueLen: uint32(len(value)),
		is: is,
	})
	h.wire = append(h.wire, value...)
	h.wire = append(h.wire, "\r\n"...)
}

// note appends the place of a line.
func (h *Header) note(f field) {
	h.fields = append(h.fields, f)
	bit := f.is.bit()
	h.twice |= h.present & bit
	h.present |= bit
}

// count finds out anew which fields there are.
func (h *Header) count() {
	h.present, h.twice = 0, 0
	for i := range h.fields {
		bit := h.fields[i].is.bit()
		h.twice |= h.present & bit
		h.present |= bit
	}
}

// own gives a Header that shows a decoded head octets of its own, so that it can be changed.
func (h *Header) own() {
	if !h.view {
		return
	}
	var o Header
	o.wire = make([]byte, 0, h.wireBytes())
	o.fields = make([]field, 0, len(h.fields)+1)
	o.AddAll(h)
	*h = o
}

// remove takes line i out of a dense block.
func (h *Header) remove(i int) {
	f := h.fields[i]
	start, end := int(f.name), f.valueEnd()+len("\r\n")
	h.wire = slices.Delete(h.wire, start, end)
	h.fields = slices.Delete(h.fields, i, i+1)
	h.shift(i, start-end)
	h.count()
}

// replace gives line i of a dense block another value.
func (h *Header) replace(i int, value string) {
	f := &h.fields[i]
	old := int(f.valueLen)
	h.wire = slices.Replace(h.wire, int(f.value), f.valueEnd(), []byte(value)...)
	f.valueLen = uint32(len(value))
	h.shift(i+1, len(value)-old)
}

// shift moves the spans of the lines from line i on.
func (h *Header) shift(i, by int) {
	for ; i < len(h.fields); i++ {
		h.fields[i].name += uint32(by)
		h.fields[i].value += uint32(by)
	}
}

// hide removes the lines of a field, or all but the first, from what a view shows; the octets stay.
func (h *Header) hide(n fieldName, keepFirst bool) {
	kept := h.fields[:0]
	for _, f := range h.fields {
		if f.is != n || keepFirst {
			kept = append(kept, f)
		}
		keepFirst = keepFirst && f.is != n
	}
	h.fields = kept
	h.count()
}

// wireBytes returns how many octets appendWire writes at most.
func (h *Header) wireBytes() int {
	if !h.view {
		return len(h.wire)
	}
	n := 0
	for i := range h.fields {
		n += int(h.fields[i].nameLen) + int(h.fields[i].valueLen) + lineOverhead
	}
	return n
}

// appendWire appends the field lines, those in drop left out.
func (h *Header) appendWire(dst []byte, drop fieldSet) []byte {
	if !h.view && h.present&drop == 0 {
		return append(dst, h.wire...)
	}
	for i := range h.fields {
		f := &h.fields[i]
		if drop.has(f.is) {
			continue
		}
		dst = append(dst, h.nameAt(f)...)
		dst = append(dst, ": "...)
		dst = append(dst, h.valueAt(f)...)
		dst = append(dst, "\r\n"...)
	}
	return dst
}

// recycle is Reset for a message that goes back to its pool.
func (h *Header) recycle() {
	h.Reset()
	if cap(h.wire) > keptWireBytes {
		h.wire = nil
	}
	if cap(h.fields) > keptFields {
		h.fields = nil
	}
}
