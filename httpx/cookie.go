package httpx

import (
	"bytes"
	"iter"
)

// Cookies yields name and value of each cookie of the request, in order; quotes around a value are left out. What
// follows no grammar is passed over: a browser sends what other programs of its site have set, too. RFC 6265, 4.2 and
// 5.4.
func (r *Request) Cookies() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i := r.Header.index("cookie", 0); i >= 0; i = r.Header.index("cookie", i+1) {
			var pair []byte
			for line := r.Header.valueAt(&r.Header.fields[i]); len(line) > 0; {
				pair, line, _ = bytes.Cut(line, []byte{';'})
				if name, value, ok := splitCookie(pair); ok && !yield(name, value) {
					return
				}
			}
		}
	}
}

// Cookie returns the value of the first cookie called name: nil when there is none. Browsers send the one with the
// longest path first. Names are compared exactly. RFC 6265, 5.4.
func (r *Request) Cookie(name string) []byte {
	for is, value := range r.Cookies() {
		if string(is) == name {
			return value
		}
	}
	return nil
}

// splitCookie reads name "=" value, where value is *cookie-octet with or without quotes around it. RFC 6265, 4.1.1.
func splitCookie(pair []byte) (name, value []byte, ok bool) {
	name, value, ok = bytes.Cut(trimBlanks(pair), []byte{'='})
	if !ok || !validToken(name) {
		return nil, nil, false
	}
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
		value = value[1 : n-1]
	}
	return name, value, validReceivedCookie(value)
}

// validReceivedCookie is generous: browsers send blanks, commas and octets above 0x7f as they were set.
func validReceivedCookie(value []byte) bool {
	for _, c := range value {
		if c < ' ' || c == 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
