package httpx

import (
	"bytes"
	"iter"
)

// forwardedElement is what one proxy says of the one that it had the request from. RFC 7239, 4.
type forwardedElement struct{ from, proto, host []byte }

// parseForwarded reads all Forwarded lines. A proxy adds its element behind what it got, whatever that is: ok is false
// when any of it follows no grammar, since then an element may seem to begin or end where it does not.
func parseForwarded(h *Header) (elements []forwardedElement, ok bool) {
	for i := h.index("forwarded", 0); i >= 0; i = h.index("forwarded", i+1) {
		line := h.valueAt(&h.fields[i])
		for at := 0; at < len(line); at++ {
			var e forwardedElement
			if at, ok = e.parse(line, at); !ok || at < len(line) && line[at] != ',' {
				return nil, false
			}
			elements = append(elements, e)
		}
	}
	return elements, true
}

// parse reads [ pair ] *( ";" [ pair ] ) from at on, with blanks around, and returns what follows it.
func (e *forwardedElement) parse(line []byte, at int) (end int, ok bool) {
	for {
		at = skipBlanks(line, at)
		if name := line[at : at+tokenEnd(line[at:])]; len(name) > 0 {
			at += len(name)
			if at == len(line) || line[at] != '=' {
				return at, false
			}
			end := forwardedValueEnd(line, at+1)
			if end == at+1 || !e.set(name, unquote(line[at+1:end])) {
				return at, false
			}
			at = skipBlanks(line, end)
		}
		if at == len(line) || line[at] != ';' {
			return at, true
		}
		at++
	}
}

// forwardedValueEnd returns the end of the value at i, i when there is none. Addresses should be in quotes, as their
// colons and brackets stand in no token; not all proxies know.
func forwardedValueEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '"' {
		return extValueEnd(b, i)
	}
	for i < len(b) && b[i] != ',' && b[i] != ';' && b[i] != '"' && !isBlank(b[i]) {
		i++
	}
	return i
}

// set notes a pair that counts here; ok is false when it has come before. RFC 7239, 4.
func (e *forwardedElement) set(name, value []byte) (ok bool) {
	var at *[]byte
	switch {
	case equalFold(name, "for"):
		at = &e.from
	case equalFold(name, "proto"):
		at = &e.proto
	case equalFold(name, "host"):
		at = &e.host
	default:
		return true
	}
	if *at != nil {
		return false
	}
	*at = value
	return true
}

// backwards yields the elements of the lines called name from the last to the first, but for empty ones.
func backwards(h *Header, name string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := len(h.fields) - 1; i >= 0; i-- {
			if !equalFold(h.nameAt(&h.fields[i]), name) {
				continue
			}
			for list := h.valueAt(&h.fields[i]); len(list) > 0; {
				comma := bytes.LastIndexByte(list, ',')
				element := trimBlanks(list[comma+1:])
				list = list[:max(comma, 0)]
				if len(element) > 0 && !yield(element) {
					return
				}
			}
		}
	}
}

// elementFromEnd returns element n from the end, 1 = the last, of the lines called name; the first one when there are
// fewer: some proxies replace the field that they got instead of adding to it.
func elementFromEnd(h *Header, name string, n int) (element []byte) {
	for element = range backwards(h, name) {
		if n--; n <= 0 {
			break
		}
	}
	return element
}
