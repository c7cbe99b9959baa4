package httpx

import (
	"fmt"
	"strings"
	"unicode"
)

// PatternError says why Router.Handle did not take a pattern.
type PatternError struct {
	Pattern string
	Reason  string
	Other   string // the pattern that it conflicts with; "" = it is wrong by itself
}

// Error returns the pattern and the reason.
func (e *PatternError) Error() string {
	if e.Other != "" {
		return fmt.Sprintf("httpx: pattern %q conflicts with %q: %s", e.Pattern, e.Other, e.Reason)
	}
	return fmt.Sprintf("httpx: pattern %q: %s", e.Pattern, e.Reason)
}

// pattern is a parsed pattern: [method] [host]/[path].
type pattern struct {
	text     string
	method   Method // "" = any
	host     string // lower-case, "" = any
	segments []segment
	names    []string // of the wildcards, in order
}

// segment is one part of a path between slashes.
type segment struct {
	kind segmentKind
	text string // of a literal, unescaped
}

type segmentKind uint8

const (
	segmentLiteral segmentKind = iota
	segmentEnd                 // {$}: the path ends with the slash in front
	segmentAny                 // {name}: one segment, whatever it is
	segmentRest                // {name...}, or a slash at the end: all that follows
)

// parsePattern reads a pattern.
func parsePattern(text string) (*pattern, error) {
	p := &pattern{text: text}
	method, rest, found := strings.Cut(text, " ")
	if tab := strings.IndexByte(text, '\t'); tab >= 0 && (!found || tab < len(method)) {
		method, rest, found = text[:tab], text[tab+1:], true
	}
	if found {
		rest = strings.TrimLeft(rest, " \t")
		if p.method = Method(method); method != "" && !validToken(method) {
			return nil, p.wrong("the method is no token")
		}
	} else {
		rest = text
	}
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return nil, p.wrong("no slash")
	}
	p.host = strings.ToLower(rest[:slash])
	if !validPatternHost(p.host) {
		return nil, p.wrong("bad host; it has no port and no wildcard")
	}
	p.host = strings.TrimSuffix(p.host, ".")
	path := rest[slash:]
	if !cleanPath([]byte(path)) {
		return nil, p.wrong("the path is not clean, so that it would never match")
	}
	return p, p.parsePath(path)
}

// validPatternHost also takes IPv6 addresses, in brackets.
func validPatternHost(host string) bool {
	if strings.HasPrefix(host, "[") {
		return strings.HasSuffix(host, "]") && validHost([]byte(host))
	}
	return validHost([]byte(host)) && strings.IndexByte(host, ':') < 0
}

func (p *pattern) wrong(reason string) error { return &PatternError{Pattern: p.text, Reason: reason} }

// parsePath reads the segments of an absolute path.
func (p *pattern) parsePath(path string) error {
	for path != "" {
		var text string
		text, path, _ = cutSegment(path)
		last := path == ""
		switch {
		case text == "":
			p.segments = append(p.segments, segment{kind: segmentRest})
			p.names = append(p.names, "")
		case strings.IndexByte(text, '{') < 0:
			literal, ok := appendUnescaped(nil, []byte(text), false)
			if !ok {
				return p.wrong("bad escape")
			}
			p.segments = append(p.segments, segment{segmentLiteral, string(literal)})
		case text[0] != '{' || text[len(text)-1] != '}':
			return p.wrong("a wildcard is a whole segment")
		default:
			if err := p.wildcard(text[1:len(text)-1], last); err != nil {
				return err
			}
		}
	}
	return nil
}

// cutSegment cuts the first segment off an absolute path.
func cutSegment[T text](path T) (first, rest T, slash bool) {
	path = path[1:]
	for i := range len(path) {
		if path[i] == '/' {
			return path[:i], path[i:], true
		}
	}
	return path, path[len(path):], false
}

// wildcard reads what stands between the braces.
func (p *pattern) wildcard(name string, last bool) error {
	if name == "$" {
		if !last {
			return p.wrong("{$} is not at the end")
		}
		p.segments = append(p.segments, segment{kind: segmentEnd})
		return nil
	}
	kind := segmentAny
	name, rest := strings.CutSuffix(name, "...")
	if rest {
		if kind = segmentRest; !last {
			return p.wrong("{...} is not at the end")
		}
	}
	if !validWildcard(name) {
		return p.wrong("the name of a wildcard is no identifier")
	}
	for _, other := range p.names {
		if other == name {
			return p.wrong("two wildcards have the same name")
		}
	}
	p.segments = append(p.segments, segment{kind: kind})
	p.names = append(p.names, name)
	return nil
}

// validWildcard reports whether s is an identifier of Go.
func validWildcard(s string) bool {
	for i, c := range s {
		if !unicode.IsLetter(c) && c != '_' && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != ""
}
