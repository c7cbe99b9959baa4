package httpx

import "bytes"

// fieldParams is the parameters behind the first word of a field value, with the first semicolon: *( OWS ";" OWS [ name
// "=" ( token / quoted-string ) ] ). RFC 9110, 5.6.6.
type fieldParams []byte

// maxFieldParams is how many parameters one value may have: looking for a second one of the same name walks them all.
const maxFieldParams = 16

// next returns the first parameter, its value with quotes, and what follows it. more is false behind the last one; ok is
// false when the octets follow no grammar.
func (p fieldParams) next() (name, value []byte, rest fieldParams, more, ok bool) {
	for {
		i := skipBlanks(p, 0)
		if i == len(p) {
			return nil, nil, nil, false, true
		}
		if p[i] != ';' {
			return nil, nil, nil, false, false
		}
		p = p[skipBlanks(p, i+1):]
		if len(p) > 0 && p[0] != ';' {
			break
		}
	}
	end := tokenEnd(p)
	if end == 0 || end == len(p) || p[end] != '=' {
		return nil, nil, nil, false, false
	}
	from := end + 1
	to := extValueEnd(p, from)
	if to == from {
		return nil, nil, nil, false, false
	}
	return p[:end], p[from:to], p[to:], true, true
}

// valid reports whether all of p follows the grammar and no name comes twice.
func (p fieldParams) valid() bool {
	var seen [maxFieldParams][]byte
	for n := 0; ; n++ {
		name, _, rest, more, ok := p.next()
		if !ok || !more {
			return ok
		}
		if n == maxFieldParams {
			return false
		}
		for _, other := range seen[:n] {
			if equalFold(name, other) {
				return false
			}
		}
		seen[n], p = name, rest
	}
}

// raw returns the value of a parameter as it was sent.
func (p fieldParams) raw(name string) (value []byte, found bool) {
	for {
		is, value, rest, more, ok := p.next()
		if !ok || !more {
			return nil, false
		}
		if equalFold(is, name) {
			return value, true
		}
		p = rest
	}
}

// get returns the value of a parameter without quotes and escapes.
func (p fieldParams) get(name string) (value string, found bool) {
	raw, found := p.raw(name)
	return string(unquote(raw)), found
}

// unquote undoes the quotes and escapes of a quoted-string, and leaves a token as it is. RFC 9110, 5.6.4.
func unquote(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return raw
	}
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	plain := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' {
			i++
		}
		plain = append(plain, raw[i])
	}
	return plain
}
