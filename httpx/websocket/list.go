package websocket

import "iter"

// This file reads field values: lists, tokens, and parameters of extensions. RFC 9110, 5.6; RFC 6455, 9.1.

// tokenChars has a bit for each octet below 0x80 that may stand in a token. RFC 9110, 5.6.2.
const (
	tokenCharsLow  = uint64(0x03ff6cfa_00000000) // SP to ?
	tokenCharsHigh = uint64(0x57ffffff_c7fffffe) // @ to DEL
)

func isTokenChar(c byte) bool {
	switch {
	case c < 0x40:
		return tokenCharsLow>>c&1 != 0
	case c < 0x80:
		return tokenCharsHigh>>(c-0x40)&1 != 0
	}
	return false
}

// tokenLen returns how many octets at the beginning of s are those of a token.
func tokenLen[T string | []byte](s T) int {
	for i := range len(s) {
		if !isTokenChar(s[i]) {
			return i
		}
	}
	return len(s)
}

// isToken reports whether s is 1*tchar.
func isToken(s string) bool { return s != "" && tokenLen(s) == len(s) }

// skipBlanks returns s without the SP and HTAB at its beginning.
func skipBlanks(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	return s
}

// tokens yields the elements of a list of tokens in several lines; ok is false, and it the last, when an element is none.
// Empty elements do not count. RFC 9110, 5.6.1.
func tokens(lines iter.Seq[[]byte]) iter.Seq2[string, bool] {
	return func(yield func(token string, ok bool) bool) {
		for line := range lines {
			for s := skipBlanks(string(line)); s != ""; {
				n := tokenLen(s)
				token, rest := s[:n], skipBlanks(s[n:])
				if rest != "" && rest[0] != ',' {
					yield("", false)
					return
				}
				if n > 0 && !yield(token, true) {
					return
				}
				if rest != "" {
					rest = rest[1:]
				}
				s = skipBlanks(rest)
			}
		}
	}
}

// extension is one element of Sec-WebSocket-Extensions. RFC 6455, 9.1.
type extension struct {
	name   string
	params []param
}

type param struct {
	name, value string
	hasValue    bool
}

// maxParams is how many parameters an extension may have. RFC 7692 has four.
const maxParams = 16

// parseExtensions reads the extensions in several lines; ok is false when they do not follow the grammar.
func parseExtensions(lines iter.Seq[[]byte]) (list []extension, ok bool) {
	for line := range lines {
		for s := skipBlanks(string(line)); s != ""; {
			if s[0] == ',' {
				s = skipBlanks(s[1:])
				continue
			}
			var e extension
			if e, s, ok = parseExtension(s); !ok {
				return nil, false
			}
			list = append(list, e)
		}
	}
	return list, true
}

// parseExtension reads one element and returns what follows it: nothing, or a comma.
func parseExtension(s string) (e extension, rest string, ok bool) {
	n := tokenLen(s)
	e.name, s = s[:n], skipBlanks(s[n:])
	if n == 0 {
		return e, "", false
	}
	for s != "" && s[0] == ';' {
		var p param
		if p, s, ok = parseParam(skipBlanks(s[1:])); !ok || len(e.params) == maxParams {
			return e, "", false
		}
		e.params = append(e.params, p)
	}
	return e, s, s == "" || s[0] == ','
}

// parseParam reads token [ "=" ( token / quoted-string ) ]; a quoted value is a token, too.
func parseParam(s string) (p param, rest string, ok bool) {
	n := tokenLen(s)
	p.name, s = s[:n], skipBlanks(s[n:])
	if n == 0 {
		return p, "", false
	}
	if s == "" || s[0] != '=' {
		return p, s, true
	}
	p.hasValue = true
	s = skipBlanks(s[1:])
	if s != "" && s[0] == '"' {
		p.value, s, ok = unquote(s[1:])
	} else {
		n = tokenLen(s)
		p.value, s, ok = s[:n], s[n:], true
	}
	return p, skipBlanks(s), ok && isToken(p.value)
}

// unquote reads the rest of a quoted string. RFC 9110, 5.6.4.
func unquote(s string) (value, rest string, ok bool) {
	var octets []byte
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return string(octets), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
		}
		octets = append(octets, s[i])
	}
	return "", "", false
}
