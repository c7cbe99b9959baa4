package httpx

// weightFull is a weight of 1, in thousandths. RFC 9110, 12.4.2.
const weightFull = 1000

// PreferEncoding returns which of the offered content codings the client wants most by the Accept-Encoding lines of h,
// "" for none: identity. Of codings with equal weight the one offered first wins, and any of them wins over an identity
// that is not named. ok is false when the client refuses identity too and accepts nothing that is offered: 406 is the
// answer then, or the content as it is.
//
// Without the field every coding may be sent, but nothing says that the client can read one: the result is "". Elements
// that do not follow the grammar are ignored, x-gzip and x-compress are the codings without the x. Offered names are
// lower-case. It neither keeps nor changes h and does not allocate. RFC 9110, 12.5.3 and 8.4.1.
func PreferEncoding(h *Header, offered ...string) (coding string, ok bool) {
	if !h.Has("accept-encoding") {
		return "", true
	}
	best := 0
	for _, offer := range offered {
		weight, named := encodingWeight(h, offer)
		if !named {
			weight, _ = encodingWeight(h, "*")
		}
		if weight > best {
			coding, best = offer, weight
		}
	}
	identity, named := encodingWeight(h, "identity")
	if named && identity > best {
		return "", true
	}
	if best > 0 {
		return coding, true
	}
	if !named {
		if identity, named = encodingWeight(h, "*"); !named {
			return "", true
		}
	}
	return "", identity > 0
}

// encodingWeight returns the weight of the first element about coding; named is false when there is none.
func encodingWeight(h *Header, coding string) (weight int, named bool) {
	for i := h.index("accept-encoding", 0); i >= 0; i = h.index("accept-encoding", i+1) {
		var element []byte
		for list := h.valueAt(&h.fields[i]); len(list) > 0; {
			element, list = nextElement(list)
			name, weight, ok := splitWeight(element)
			if ok && isEncoding(name, coding) {
				return weight, true
			}
		}
	}
	return 0, false
}

// isEncoding compares a name of the client with a coding. RFC 9110, 8.4.1.1 and 8.4.1.3.
func isEncoding(name []byte, coding string) bool {
	if len(name) == len(coding)+2 && (coding == "gzip" || coding == "compress") && equalFold(name[:2], "x-") {
		name = name[2:]
	}
	return equalFold(name, coding)
}

// splitWeight reads token [ OWS ";" OWS "q=" qvalue ] of a list element; weight is in thousandths. RFC 9110, 12.4.2.
func splitWeight(element []byte) (name []byte, weight int, ok bool) {
	end := tokenEnd(element)
	name = element[:end]
	if end == 0 {
		return nil, 0, false
	}
	rest := skipBlanks(element, end)
	if rest == len(element) {
		return name, weightFull, true
	}
	if element[rest] != ';' {
		return nil, 0, false
	}
	rest = skipBlanks(element, rest+1)
	if len(element)-rest < len("q=0") || lower(element[rest]) != 'q' || element[rest+1] != '=' {
		return nil, 0, false
	}
	weight, ok = parseWeight(element[rest+len("q="):])
	return name, weight, ok
}

// parseWeight reads a qvalue: 0 to 1 with at most three digits behind the point. RFC 9110, 12.4.2.
func parseWeight(b []byte) (thousandths int, ok bool) {
	if len(b) == 0 || len(b) > len("0.000") || b[0] != '0' && b[0] != '1' {
		return 0, false
	}
	thousandths = int(b[0]-'0') * weightFull
	if len(b) == 1 {
		return thousandths, true
	}
	if b[1] != '.' {
		return 0, false
	}
	scale := weightFull
	for _, c := range b[2:] {
		if !isDigit(c) {
			return 0, false
		}
		scale /= 10
		thousandths += int(c-'0') * scale
	}
	return thousandths, thousandths <= weightFull
}
