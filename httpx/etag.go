package httpx

// entityTag is one entity-tag with its quotes, without the W/ of a weak one. RFC 9110, 8.8.3.
type entityTag struct {
	opaque []byte
	weak   bool
}

// nextTag reads the entity-tag that begins b and returns what follows it; ok is false when there is none. A tag can hold
// commas, so a list of them cannot be cut at commas.
func nextTag(b []byte) (tag entityTag, rest []byte, ok bool) {
	if len(b) > 1 && b[0] == 'W' && b[1] == '/' {
		tag.weak, b = true, b[2:]
	}
	if len(b) == 0 || b[0] != '"' {
		return tag, nil, false
	}
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			tag.opaque = b[:i+1]
			return tag, b[i+1:], true
		case c <= ' ' || c == 0x7f:
			return tag, nil, false
		}
	}
	return tag, nil, false
}

// ValidETag reports whether s is an entity-tag: octets between quotes, with W/ in front when it is weak. Safe for
// concurrent use. RFC 9110, 8.8.3.
func ValidETag(s string) bool {
	_, rest, ok := nextTag([]byte(s))
	return ok && len(rest) == 0
}

// tagMatch is what a list of entity-tags says about one.
type tagMatch uint8

const (
	tagAbsent    tagMatch = iota // the field is not there
	tagListed                    // it is in the list, or the list is a star and there is a representation
	tagUnlisted                  // it is not
	tagMalformed                 // the list follows no grammar and it was not found in front of that
)

// matchTags looks for tag in the lists of the lines called name. strong is the comparison for which two weak tags are
// never the same. RFC 9110, 8.8.3.2.
func matchTags(h *Header, name string, v *Representation, strong bool) tagMatch {
	result := tagAbsent
	own, _, tagged := nextTag([]byte(v.ETag))
	for i := h.index(name, 0); i >= 0; i = h.index(name, i+1) {
		list := h.valueAt(&h.fields[i])
		if len(list) == 1 && list[0] == '*' {
			if v.exists() {
				return tagListed
			}
			result = max(result, tagUnlisted)
			continue
		}
		switch found, ok := findTag(list, own, strong); {
		case found && tagged:
			return tagListed
		case !ok:
			result = tagMalformed
		default:
			result = max(result, tagUnlisted)
		}
	}
	return result
}

// findTag looks for tag in #entity-tag; ok is false when the list breaks off. RFC 9110, 5.6.1.
func findTag(list []byte, tag entityTag, strong bool) (found, ok bool) {
	for {
		for len(list) > 0 && (isBlank(list[0]) || list[0] == ',') {
			list = list[1:]
		}
		if len(list) == 0 {
			return false, true
		}
		listed, rest, ok := nextTag(list)
		if !ok {
			return false, false
		}
		if string(listed.opaque) == string(tag.opaque) && (!strong || !listed.weak && !tag.weak) {
			return true, true
		}
		list = rest[skipBlanks(rest, 0):]
		if len(list) > 0 && list[0] != ',' {
			return false, false
		}
	}
}
