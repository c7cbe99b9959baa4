package httpx

import "bytes"

// MediaType is a parsed Content-Type: type, subtype and parameters, as views of the value. The zero value is none.
// RFC 9110, 8.3.1.
type MediaType struct {
	essence []byte
	params  fieldParams
}

// ParseMediaType reads the value of a Content-Type field. It shows value and does not change it. The error is an *Error
// with 415: no value, another grammar, or the same parameter twice. RFC 9110, 8.3.1 and 5.6.6.
func ParseMediaType(value []byte) (MediaType, error) {
	slash := tokenEnd(value)
	if slash == 0 || slash == len(value) || value[slash] != '/' {
		return MediaType{}, errMediaType
	}
	end := slash + 1 + tokenEnd(value[slash+1:])
	params := fieldParams(value[end:])
	if end == slash+1 || !params.valid() {
		return MediaType{}, errMediaType
	}
	return MediaType{essence: value[:end], params: params}, nil
}

var errMediaType = refuse(statusUnsupportedMedia, "bad media type")

// Is reports whether type and subtype are those of name, "text/html", in either case.
func (m MediaType) Is(name string) bool { return equalFold(m.essence, name) }

// HasType reports whether the part in front of the slash is name, "multipart", in either case.
func (m MediaType) HasType(name string) bool {
	before, _, _ := bytes.Cut(m.essence, []byte{'/'})
	return equalFold(before, name)
}

// String returns type and subtype as they were sent.
func (m MediaType) String() string { return string(m.essence) }

// Param returns the value of a parameter, its quotes and escapes undone; names are compared in either case.
func (m MediaType) Param(name string) (value string, ok bool) { return m.params.get(name) }
