package httpx

import (
	"iter"
	"strconv"
)

// Header is the ordered field lines of a message (RFC 9110, 5 and 6.3). There is no map and no string per field: names
// and values are spans of one run of octets. In a decoded message that is the head as it arrived; in a message under
// construction it is the field lines exactly as they will be sent, so that encoding them is one copy.
//
// Names keep the case they have and are compared without regard to it; lines of one name keep their order. Each setter
// checks what it is given, so a Header can never hold CR, LF or NUL.
//
// The zero value is empty and usable. Do not copy a Header; use AddAll. Byte slices that it returns are read-only and
// valid until the Header changes or its message is released. It belongs to one goroutine at a time.
type Header struct {
	wire    []byte // the spans' octets
	fields  []field
	present fieldSet
	twice   fieldSet // those with more than one line
	view    bool     // wire belongs to a decoded head and is never written
}

// Len returns the number of field lines.
func (h *Header) Len() int { return len(h.fields) }

// At returns line i, 0 <= i < Len; the value is without the blanks around it.
func (h *Header) At(i int) (name, value []byte) {
	f := &h.fields[i]
	return h.nameAt(f), h.valueAt(f)
}

func (h *Header) nameAt(f *field) []byte  { return h.wire[f.name : f.name+uint32(f.nameLen)] }
func (h *Header) valueAt(f *field) []byte { return h.wire[f.value : f.value+f.valueLen] }

// Get returns the value of the first line called name: nil when there is none, not nil but empty when that is its value.
func (h *Header) Get(name string) []byte {
	if i := h.index(name, 0); i >= 0 {
		return h.valueAt(&h.fields[i])
	}
	return nil
}

// Has reports whether there is a line called name.
func (h *Header) Has(name string) bool { return h.index(name, 0) >= 0 }

// Values yields the value of each line called name, in order.
func (h *Header) Values(name string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := h.index(name, 0); i >= 0; i = h.index(name, i+1) {
			if !yield(h.valueAt(&h.fields[i])) {
				return
			}
		}
	}
}

// All yields name and value of every line, in order.
func (h *Header) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i := range h.fields {
			if !yield(h.At(i)) {
				return
			}
		}
	}
}

// HasToken reports whether one of the lines called name has token in its comma-separated list, in either case.
// RFC 9110, 5.6.1.
func (h *Header) HasToken(name, token string) bool {
	for i := h.index(name, 0); i >= 0; i = h.index(name, i+1) {
		if hasToken(h.valueAt(&h.fields[i]), token) {
			return true
		}
	}
	return false
}

func hasToken(list []byte, token string) bool {
	var element []byte
	for len(list) > 0 {
		if element, list = nextElement(list); equalFold(element, token) {
			return true
		}
	}
	return false
}

// index returns the first line called name from line from on, or -1.
func (h *Header) index(name string, from int) int {
	for i := from; i < len(h.fields); i++ {
		if f := &h.fields[i]; int(f.nameLen) == len(name) && equalFold(h.nameAt(f), name) {
			return i
		}
	}
	return -1
}

// find is index for a field that the codec knows.
func (h *Header) find(n fieldName, from int) int {
	for i := from; i < len(h.fields); i++ {
		if h.fields[i].is == n {
			return i
		}
	}
	return -1
}

// valueOf returns the value of the first line of a field that is present.
func (h *Header) valueOf(n fieldName) []byte { return h.valueAt(&h.fields[h.find(n, 0)]) }

// Add appends a line. Blanks around the value are not kept. It returns an *Error and changes nothing when name is no
// token or value has a control character.
func (h *Header) Add(name, value string) error { return add(h, name, value) }

// AddBytes is Add with a value that is not a string. It keeps neither.
func (h *Header) AddBytes(name string, value []byte) error { return add(h, name, value) }

// AddInt is Add with a number in decimal.
func (h *Header) AddInt(name string, value int64) error {
	var digits [20]byte
	return add(h, name, strconv.AppendInt(digits[:0], value, 10))
}

func add[V text](h *Header, name string, value V) error {
	if err := checkField(name, value); err != nil {
		return err
	}
	h.own()
	appendField(h, name, trimBlanks(value), nameOf(name))
	return nil
}

// Set replaces all lines called name by one, in the place of the first, or appends it. Errors are those of Add.
func (h *Header) Set(name, value string) error {
	if err := checkField(name, value); err != nil {
		return err
	}
	first := h.index(name, 0)
	if first < 0 {
		return h.Add(name, value)
	}
	h.own()
	for i := h.index(name, first+1); i >= 0; i = h.index(name, i) {
		h.remove(i)
	}
	h.replace(first, trimBlanks(value))
	return nil
}

// AddAll appends every line of o, which it does not keep. The lines need no check, since o can only hold checked ones;
// a prebuilt o costs two copies.
func (h *Header) AddAll(o *Header) {
	h.own()
	if o.view {
		for i := range o.fields {
			f := &o.fields[i]
			appendField(h, o.nameAt(f), o.valueAt(f), f.is)
		}
		return
	}
	base := uint32(len(h.wire))
	at := len(h.fields)
	h.wire = append(h.wire, o.wire...)
	h.fields = append(h.fields, o.fields...)
	h.twice |= o.twice | h.present&o.present
	h.present |= o.present
	if base == 0 {
		return
	}
	for i := at; i < len(h.fields); i++ {
		h.fields[i].name += base
		h.fields[i].value += base
	}
}

// Del removes all lines called name and returns how many there were.
func (h *Header) Del(name string) int {
	removed := 0
	for i := h.index(name, 0); i >= 0; i = h.index(name, i) {
		h.own()
		h.remove(i)
		removed++
	}
	return removed
}

// Reset removes every line and keeps the memory for reuse.
func (h *Header) Reset() {
	if h.view {
		h.wire, h.view = nil, false
	}
	h.wire, h.fields, h.present, h.twice = h.wire[:0], h.fields[:0], 0, 0
}

func checkField[V text](name string, value V) error {
	if !validToken(name) || len(name) > maxNameBytes {
		return refuse(0, "bad field name")
	}
	if !validValue(value) {
		return refuse(0, "bad field value")
	}
	return nil
}
