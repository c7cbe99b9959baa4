package httpx

import (
	"bytes"
	"iter"
)

// Params are the named values of a query or a form, decoded, in the order they came in; a name may come several times.
// A name or value without an escape is a view of what was parsed, the others are in one piece of memory of Params.
// Nothing is known of the octets: they may be no UTF-8 and hold NUL.
//
// Look-ups walk the list: it is as long as ParamLimits allows at most. The zero value is empty. Byte slices that it
// returns are read-only and valid until what was parsed is released or the Params are parsed again. It belongs to one
// goroutine at a time.
type Params struct {
	pairs   []param
	decoded []byte
}

type param struct{ name, value []byte }

// ParamLimits bound what a query or a form can make a server do. A field that is zero or negative means its default.
type ParamLimits struct {
	Count int // named values; 0 = 1,000; beyond: 400 for a query, 413 for a form
	Bytes int // octets before decoding; 0 = 1 MiB; beyond: 414 for a query, 413 for a form
}

// The defaults of ParamLimits.
const (
	DefaultParams     = 1000
	DefaultParamBytes = 1 << 20
)

func (l ParamLimits) filled() ParamLimits {
	return ParamLimits{Count: orDefault(l.Count, DefaultParams), Bytes: orDefault(l.Bytes, DefaultParamBytes)}
}

// Len returns the number of named values.
func (p *Params) Len() int { return len(p.pairs) }

// At returns pair i, 0 <= i < Len.
func (p *Params) At(i int) (name, value []byte) { return p.pairs[i].name, p.pairs[i].value }

// Get returns the first value called name: nil when there is none, not nil but empty when that is the value. Names are
// compared exactly.
func (p *Params) Get(name string) []byte {
	for i := range p.pairs {
		if string(p.pairs[i].name) == name {
			return p.pairs[i].value
		}
	}
	return nil
}

// Has reports whether there is a value called name.
func (p *Params) Has(name string) bool { return p.Get(name) != nil }

// Values yields each value called name, in order.
func (p *Params) Values(name string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range p.pairs {
			if string(p.pairs[i].name) == name && !yield(p.pairs[i].value) {
				return
			}
		}
	}
}

// All yields every name and value, in order.
func (p *Params) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i := range p.pairs {
			if !yield(p.pairs[i].name, p.pairs[i].value) {
				return
			}
		}
	}
}

// Reset removes all values and keeps the memory for reuse.
func (p *Params) Reset() {
	clear(p.pairs)
	p.pairs, p.decoded = p.pairs[:0], p.decoded[:0]
}

// parse reads name[=value] pairs between ampersands, with percent signs and plus as escapes.
func (p *Params) parse(raw []byte, count int, tooMany error) error {
	p.Reset()
	for len(raw) > 0 {
		var pair []byte
		pair, raw, _ = bytes.Cut(raw, []byte{'&'})
		if len(pair) == 0 {
			continue
		}
		if len(p.pairs) == count {
			return tooMany
		}
		name, value, _ := bytes.Cut(pair, []byte{'='})
		if value == nil {
			value = pair[len(pair):]
		}
		name, okName := p.decode(name, len(raw)+len(pair))
		value, okValue := p.decode(value, len(raw)+len(pair))
		if !okName || !okValue {
			return refuse(statusBadRequest, "bad escape")
		}
		p.pairs = append(p.pairs, param{name, value})
	}
	return nil
}

// decode undoes the escapes of s, if there are any. room is how much may still have to be decoded at most, so that the
// memory is made once and views of it stay right.
func (p *Params) decode(s []byte, room int) (decoded []byte, ok bool) {
	if bytes.IndexByte(s, '%') < 0 && bytes.IndexByte(s, '+') < 0 {
		return s, true
	}
	if cap(p.decoded) < len(p.decoded)+len(s) {
		p.decoded = make([]byte, 0, room)
	}
	start := len(p.decoded)
	p.decoded, ok = appendUnescaped(p.decoded, s, true)
	return p.decoded[start:len(p.decoded):len(p.decoded)], ok
}

// appendUnescaped appends s with each %XX replaced by its octet and, if plus, each plus by a blank; ok is false when a
// percent sign is not followed by two hexadecimal digits. RFC 3986, 2.1; WHATWG URL, 5.1.
func appendUnescaped(dst, s []byte, plus bool) (_ []byte, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+' && plus:
			dst = append(dst, ' ')
		case c == '%':
			if len(s)-i < len("%00") {
				return dst, false
			}
			high, ok := hexValue(s[i+1])
			low, ok2 := hexValue(s[i+2])
			if !ok || !ok2 {
				return dst, false
			}
			dst = append(dst, byte(high<<4|low))
			i += len("00")
		default:
			dst = append(dst, c)
		}
	}
	return dst, true
}
