package httpx

// Method is a request method, a case-sensitive token. Methods that are not among the constants are as valid.
// RFC 9110, 9.1.
type Method string

// The methods of RFC 9110, 9.3, and PATCH (RFC 5789).
const (
	MethodGet     Method = "GET"
	MethodHead    Method = "HEAD"
	MethodPost    Method = "POST"
	MethodPut     Method = "PUT"
	MethodDelete  Method = "DELETE"
	MethodConnect Method = "CONNECT"
	MethodOptions Method = "OPTIONS"
	MethodTrace   Method = "TRACE"
	MethodPatch   Method = "PATCH"
)

// Known reports whether m is one of the constants. Safe for concurrent use.
func (m Method) Known() bool {
	known, _ := knownMethod([]byte(m))
	return known != ""
}

// knownMethod returns the constant that b spells, so that a known method costs no allocation.
func knownMethod(b []byte) (m Method, ok bool) {
	switch string(b) {
	case "GET":
		return MethodGet, true
	case "POST":
		return MethodPost, true
	case "HEAD":
		return MethodHead, true
	case "PUT":
		return MethodPut, true
	case "DELETE":
		return MethodDelete, true
	case "OPTIONS":
		return MethodOptions, true
	case "PATCH":
		return MethodPatch, true
	case "CONNECT":
		return MethodConnect, true
	case "TRACE":
		return MethodTrace, true
	}
	return "", false
}

// methodOf returns the method that b spells; ok is false when b is no token. RFC 9110, 9.1.
func methodOf(b []byte) (m Method, ok bool) {
	if m, ok := knownMethod(b); ok {
		return m, true
	}
	if !validToken(b) {
		return "", false
	}
	return Method(b), true
}
