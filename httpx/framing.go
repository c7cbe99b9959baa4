package httpx

import "math"

// frame reads from a complete header what the connection must know: where the body ends, whether another message can
// follow, what the client waits for. RFC 9112, 6 and 9.3.
func (r *Request) frame(c *DecoderConfig) error {
	r.KeepAlive = r.Version >= Version11
	if err := r.checkHost(c); err != nil {
		return err
	}
	if r.Header.present&^(freeFields|fieldHost.bit()) == 0 && r.Method != MethodConnect {
		return nil
	}
	var closes bool
	var err error
	if r.Length, closes, err = r.Header.bodyLength(r.Version, c); err != nil {
		return err
	}
	if r.Length < LengthChunked {
		// A request cannot end with the connection: RFC 9112, 6.3.
		return refuse(statusBadRequest, "final coding is not chunked")
	}
	closeAsked, keepAsked, upgradeAsked := r.Header.connection()
	r.KeepAlive = !closes && !closeAsked && (r.KeepAlive || keepAsked)
	if r.Version >= Version11 {
		r.ExpectContinue = r.Length != 0 && r.Header.present.has(fieldExpect) && r.Header.expectsContinue()
		r.Upgrade = upgradeAsked && r.Header.present.has(fieldUpgrade)
	}
	if r.Method == MethodConnect {
		if r.Length != 0 {
			// What is content to one reader is tunnel to another: RFC 9110, 9.3.6.
			return refuse(statusBadRequest, "content in CONNECT")
		}
		r.Upgrade = true
	}
	return nil
}

// checkHost applies RFC 9112, 3.2.
func (r *Request) checkHost(c *DecoderConfig) error {
	h := &r.Header
	if !h.present.has(fieldHost) {
		if r.Version >= Version11 && !c.AllowMissingHost {
			return refuse(statusBadRequest, "missing host")
		}
		return nil
	}
	if h.twice.has(fieldHost) {
		return refuse(statusBadRequest, "duplicate host")
	}
	if !validHost(h.valueOf(fieldHost)) {
		return refuse(statusBadRequest, "bad host")
	}
	return nil
}

// bodyLength returns the octets of the body, LengthChunked, LengthUntilClose when the final coding is not chunked, or 0
// when neither field is there. closes tells that the framing is doubtful enough to end the connection. Status 400 is
// right for a request; a client answers nothing. RFC 9112, 6.3.
func (h *Header) bodyLength(v Version, c *DecoderConfig) (length int64, closes bool, err error) {
	if h.present&framingFields == 0 {
		return 0, false, nil
	}
	if !h.present.has(fieldTransferEncoding) {
		length, err = h.contentLength(c.CollapseEqualLengths)
		return length, false, err
	}
	if v < Version11 {
		return 0, false, refuse(statusBadRequest, "transfer-encoding in 1.0")
	}
	if h.present.has(fieldContentLength) {
		if !c.PreferTransferEncoding {
			return 0, false, refuse(statusBadRequest, "both length and chunked")
		}
		h.hide(fieldContentLength, false)
		closes = true
	}
	length, err = h.transferEncoding(c)
	return length, closes, err
}

// contentLength reads the one Content-Length; collapse allows several that are equal, and hides all but the first.
// RFC 9110, 8.6.
func (h *Header) contentLength(collapse bool) (int64, error) {
	first := h.find(fieldContentLength, 0)
	length := int64(-1)
	for i := first; i >= 0; i = h.find(fieldContentLength, i+1) {
		if i != first && !collapse {
			return 0, refuse(statusBadRequest, "duplicate content-length")
		}
		n, ok := parseLengths(h.valueAt(&h.fields[i]), collapse)
		switch {
		case !ok:
			return 0, refuse(statusBadRequest, "bad content-length")
		case length >= 0 && n != length:
			return 0, refuse(statusBadRequest, "duplicate content-length")
		}
		length = n
	}
	if collapse {
		h.hide(fieldContentLength, true)
	}
	return length, nil
}

// parseLengths reads one length, or with collapse a list of equal ones.
func parseLengths(v []byte, collapse bool) (n int64, ok bool) {
	if !collapse {
		return parseLength(v)
	}
	n = -1
	for more := true; more; more = len(v) > 0 {
		var element []byte
		element, v = nextElement(v)
		next, ok := parseLength(element)
		if !ok || n >= 0 && next != n {
			return 0, false
		}
		n = next
	}
	return n, true
}

// parseLength reads 1*DIGIT that fits 63 bits.
func parseLength(v []byte) (n int64, ok bool) {
	for _, c := range v {
		digit := int64(c - '0')
		if !isDigit(c) || n > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, len(v) > 0
}

// transferEncoding reads what a decoder needs to know of the codings. Only chunked alone is decoded. RFC 9112, 6.1 and 7.
func (h *Header) transferEncoding(c *DecoderConfig) (int64, error) {
	chunked, others, last := h.codings()
	switch {
	case chunked+others == 0:
		return 0, refuse(statusBadRequest, "bad transfer-encoding")
	case chunked > 1 && last && c.NotImplementedForChunkedTwice:
		return 0, refuse(statusNotImplemented, "chunked twice")
	case chunked > 1:
		return 0, refuse(statusBadRequest, "chunked twice")
	case !last:
		return LengthUntilClose, nil
	case others > 0:
		return 0, refuse(statusNotImplemented, "unsupported transfer coding")
	}
	return LengthChunked, nil
}

// codings counts the transfer codings of all lines; last tells that the final one is chunked. A list with an empty
// element counts as none at all: RFC 9110, 5.6.1 would skip the element, but honest senders write none, and readers that
// do not know chunked in such a list take the body for the next request.
func (h *Header) codings() (chunked, others int, last bool) {
	for i := h.find(fieldTransferEncoding, 0); i >= 0; i = h.find(fieldTransferEncoding, i+1) {
		for list := h.valueAt(&h.fields[i]); list != nil; {
			var coding []byte
			coding, list = nextElement(list)
			switch last = isWord(coding, "chunked"); {
			case last:
				chunked++
			case len(coding) == 0:
				return 0, 0, false
			default:
				others++
			}
		}
	}
	return chunked, others, last
}

// connection reads the options of all Connection lines that concern this hop. RFC 9110, 7.6.1.
func (h *Header) connection() (closes, keeps, upgrades bool) {
	if !h.present.has(fieldConnection) {
		return false, false, false
	}
	if isWord(h.valueOf(fieldConnection), "keep-alive") && !h.twice.has(fieldConnection) {
		return false, true, false // as most requests have it
	}
	for i := h.find(fieldConnection, 0); i >= 0; i = h.find(fieldConnection, i+1) {
		list := h.valueAt(&h.fields[i])
		for len(list) > 0 {
			var option []byte
			option, list = nextElement(list)
			switch {
			case isWord(option, "keep-alive"):
				keeps = true
			case isWord(option, "close"):
				closes = true
			case isWord(option, "upgrade"):
				upgrades = true
			}
		}
	}
	return closes, keeps, upgrades
}

// expectsContinue reports whether one of the expectations is 100-continue. RFC 9110, 10.1.1.
func (h *Header) expectsContinue() bool {
	for i := h.find(fieldExpect, 0); i >= 0; i = h.find(fieldExpect, i+1) {
		if hasToken(h.valueAt(&h.fields[i]), "100-continue") {
			return true
		}
	}
	return false
}
