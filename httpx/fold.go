package httpx

// fold joins the line b[start:end], which begins with a blank, to the field before it; unfold puts things right when the
// head is complete. RFC 9112, 5.2.
func (l *lines) fold(b []byte, h *Header, start, end int, allowed bool) error {
	switch {
	case len(h.fields) == 0:
		// RFC 9112, 2.2: such a line could be taken for part of the request line.
		return refuse(statusBadRequest, "whitespace before first field")
	case !allowed:
		return refuse(statusBadRequest, "obs-fold")
	}
	if line := b[start:end]; !validValue(line) {
		return badValue(line)
	}
	f := &h.fields[len(h.fields)-1]
	f.valueLen = uint32(end) - f.value
	l.folded = true
	return nil
}

// unfold replaces every line end inside a value, with the blanks around it, by one SP. h.wire must be a copy.
func unfold(h *Header) {
	for i := range h.fields {
		f := &h.fields[i]
		value := h.valueAt(f)
		f.valueLen = uint32(len(unfoldValue(value)))
	}
}

// unfoldValue works in place and returns the shortened value.
func unfoldValue(v []byte) []byte {
	out := v[:0]
	for i := 0; i < len(v); i++ {
		if v[i] != '\r' && v[i] != '\n' {
			out = append(out, v[i])
			continue
		}
		for i+1 < len(v) && (v[i+1] == '\n' || isBlank(v[i+1])) {
			i++
		}
		out = trimRight(out)
		if len(out) > 0 {
			out = append(out, ' ')
		}
	}
	return trimRight(out)
}

func trimRight(v []byte) []byte {
	for len(v) > 0 && isBlank(v[len(v)-1]) {
		v = v[:len(v)-1]
	}
	return v
}
