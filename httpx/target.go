package httpx

import "bytes"

// Path returns the path of the request target as it was sent, escapes included: what stands before the query of an
// origin-form target, or behind the authority of an absolute one. "/" when an absolute target has no path, nil for the
// targets "*" and host ":" port, which have none. RFC 9112, 3.2; RFC 3986, 3.3.
func (r *Request) Path() []byte {
	path, _, _ := splitTarget(r.Method, r.Target())
	return path
}

// RawQuery returns the query of the request target as it was sent, without its question mark: nil when there is none,
// not nil but empty when there is only the mark. ParseQuery reads it. RFC 3986, 3.4.
func (r *Request) RawQuery() []byte {
	_, query, _ := splitTarget(r.Method, r.Target())
	return query
}

var rootPath = []byte("/")

// splitTarget cuts a target at its query; ok is false for targets without a path.
func splitTarget(m Method, target []byte) (path, query []byte, ok bool) {
	at := pathStart(target)
	if m == MethodConnect || at < 0 {
		return nil, nil, false
	}
	path = target[at:]
	if mark := bytes.IndexByte(path, '?'); mark >= 0 {
		path, query = path[:mark], path[mark+1:]
	}
	if len(path) == 0 {
		path = rootPath
	}
	return path, query, true
}

// pathStart returns where in a target its path begins, -1 when it has none.
func pathStart(target []byte) int {
	if len(target) > 0 && target[0] == '/' {
		return 0
	}
	authority, absolute := authorityOf(target)
	if !absolute {
		return -1
	}
	return bytes.Index(target, []byte("://")) + len("://") + len(authority)
}

var asteriskTarget = []byte("*")

// originForm returns what an origin server is asked for by target, which begins with the query when that has no path in
// front: all behind the authority of an absolute-form, without a fragment. Other forms stay. RFC 9112, 3.2.1 and 3.2.4.
func originForm(m Method, target []byte) []byte {
	at := pathStart(target)
	if m == MethodConnect || at <= 0 {
		return target
	}
	rest := target[at:]
	if fragment := bytes.IndexByte(rest, '#'); fragment >= 0 {
		rest = rest[:fragment]
	}
	switch {
	case len(rest) > 0:
		return rest
	case m == MethodOptions:
		return asteriskTarget
	}
	return rootPath
}
