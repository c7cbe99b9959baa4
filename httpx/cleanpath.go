package httpx

import (
	"bytes"
	"strings"
)

// cleanPath reports whether a path is absolute and has no empty segments, and none of one or two points: the same
// resource must not have many names.
func cleanPath(path []byte) bool {
	if len(path) == 0 || path[0] != '/' {
		return false
	}
	for len(path) > 1 {
		segment, rest, slash := cutSegment(path)
		if len(segment) == 0 && slash || string(segment) == "." || string(segment) == ".." {
			return false
		}
		path = rest
	}
	return true
}

// appendClean appends the clean path that a path stands for. RFC 3986, 5.2.4.
func appendClean(dst, path []byte) []byte {
	start := len(dst)
	if len(path) == 0 || path[0] != '/' {
		path = append([]byte{'/'}, path...)
	}
	slash := true
	for len(path) > 0 {
		var segment []byte
		segment, path, _ = cutSegment(path)
		slash = len(path) == 0 && len(segment) == 0
		switch string(segment) {
		case "", ".":
		case "..":
			dst = dst[:max(start, bytes.LastIndexByte(dst, '/'))]
		default:
			dst = append(append(dst, '/'), segment...)
		}
	}
	if slash || len(dst) == start {
		dst = append(dst, '/')
	}
	return dst
}

// appendEscaped appends a path or a query as part of a reference that every browser reads alike: what is not allowed in
// one is escaped, above all the backslash, which browsers take for a slash: in front of a path two slashes name another
// host. Octets in more are allowed too. RFC 3986, 3.3, 3.4 and 4.2.
func appendEscaped(dst, s []byte, more string) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range s {
		if charClass[c]&(classAlpha|classDigit) != 0 || strings.IndexByte(referenceChars, c) >= 0 || strings.IndexByte(more, c) >= 0 {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

// referenceChars are, besides letters and digits, what paths and queries have, the percent sign of escapes included.
const referenceChars = "-._~!$&'()*+,;=:@/%?"
