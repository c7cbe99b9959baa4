package httpx

import "time"

// Representation is what a resource has at the moment, as far as conditional requests ask for it. The zero value is a
// resource that has none yet. RFC 9110, 8.8.
type Representation struct {
	// ETag is its entity-tag with the quotes, W/ in front when it is weak; "" = it has none. One that is no entity-tag
	// is never the same as another.
	ETag string
	// Modified is when it was changed last, which counts in whole seconds; zero = not known.
	Modified time.Time
	// Exists tells that there is one; an ETag or a time tells it as well.
	Exists bool
}

func (v *Representation) exists() bool { return v.Exists || v.ETag != "" || !v.Modified.IsZero() }

// Check evaluates the conditions of r in their order and returns the status that answers it: 304 (Not Modified), 412
// (Precondition Failed), or 0 = go on. Call it when the answer would be 2xx, right before the method is carried out. A
// list of entity-tags that cannot be read matches none; for methods that change something the answer is 412 then.
// Neither v nor r is kept or changed. RFC 9110, 13.2.
func (v *Representation) Check(r *Request) int {
	reading := false
	switch r.Method {
	case MethodGet, MethodHead:
		reading = true
	case MethodConnect, MethodOptions, MethodTrace:
		return 0
	default:
	}
	h := &r.Header
	switch matchTags(h, "if-match", v, true) {
	case tagUnlisted, tagMalformed:
		return statusPreconditionFailed
	case tagAbsent:
		if since, ok := v.dateOf(h, "if-unmodified-since"); ok && v.modified().After(since) {
			return statusPreconditionFailed
		}
	case tagListed:
	}
	switch match := matchTags(h, "if-none-match", v, false); {
	case match == tagListed && reading:
		return statusNotModified
	case match == tagListed, match == tagMalformed && !reading:
		return statusPreconditionFailed
	case match == tagAbsent && reading:
		if since, ok := v.dateOf(h, "if-modified-since"); ok && !v.modified().After(since) {
			return statusNotModified
		}
	}
	return 0
}

// AllowsRange reports whether the Range field of a request with header h is to be looked at: when there is no If-Range,
// or it names exactly this representation. A weak entity-tag never does, and beside one a date does not either: the
// representation has changed so lately that a second does not tell two of them apart. RFC 9110, 13.1.5 and 8.8.2.2.
func (v *Representation) AllowsRange(h *Header) bool {
	i := h.index("if-range", 0)
	if i < 0 {
		return true
	}
	if h.index("if-range", i+1) >= 0 {
		return false
	}
	own, _, tagged := nextTag([]byte(v.ETag))
	if own.weak {
		return false
	}
	value := h.valueAt(&h.fields[i])
	if listed, rest, ok := nextTag(value); ok {
		return tagged && !listed.weak && len(rest) == 0 && string(listed.opaque) == string(own.opaque)
	}
	since, ok := v.dateOf(h, "if-range")
	return ok && since.Equal(v.modified())
}

func (v *Representation) modified() time.Time { return v.Modified.Truncate(time.Second) }

// dateOf returns the date in a field; ok is false when there is nothing to compare: no field, no valid date, or no time
// of the representation. That time also decides about the century of a date with two digits.
func (v *Representation) dateOf(h *Header, name string) (t time.Time, ok bool) {
	value := h.Get(name)
	if value == nil || v.Modified.IsZero() {
		return time.Time{}, false
	}
	return ParseDate(value, v.Modified)
}

// Validators adds the ETag and Last-Modified lines of v to the header of an answer. The error is an *Error when ETag is
// no entity-tag; then nothing was added.
func (v *Representation) Validators(h *Header) error {
	if v.ETag != "" {
		if !ValidETag(v.ETag) {
			return refuse(0, "bad entity-tag")
		}
		if err := h.Add("ETag", v.ETag); err != nil {
			return err
		}
	}
	if v.Modified.IsZero() {
		return nil
	}
	var date [DateBytes]byte
	return h.AddBytes("Last-Modified", AppendDate(date[:0], v.Modified))
}
