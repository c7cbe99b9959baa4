package httpx

// matchedBlankLines is how many empty lines MatchPrefix looks behind. Two begin the signature of PROXY v2.
const matchedBlankLines = DefaultBlankLines

// MatchPrefix tells whether a connection that begins with prefix speaks HTTP/1: a method of the constants and a SP, behind
// a few empty lines. more means that prefix is too short to tell; both false means no. CONNECT followed by a line end
// is a STOMP frame, by a SP it is HTTP. It keeps nothing of prefix. Safe for concurrent use. RFC 9112, 2.2 and 3.
func MatchPrefix(prefix []byte) (yes, more bool) {
	for range matchedBlankLines {
		if len(prefix) < 2 || prefix[0] != '\r' || prefix[1] != '\n' {
			break
		}
		prefix = prefix[2:]
	}
	if len(prefix) == 0 || len(prefix) == 1 && prefix[0] == '\r' {
		return false, true
	}
	for _, m := range [...]Method{
		MethodGet, MethodPost, MethodHead, MethodPut, MethodDelete, MethodOptions, MethodPatch, MethodConnect, MethodTrace,
	} {
		n := min(len(m), len(prefix))
		if string(prefix[:n]) != string(m[:n]) {
			continue
		}
		if n == len(prefix) {
			return false, true
		}
		if prefix[n] == ' ' {
			return true, false
		}
	}
	return false, false
}
