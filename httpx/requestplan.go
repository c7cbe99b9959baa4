package httpx

import "strconv"

// requestPlan is what a request head needs before an octet of it is written: nothing in it can fail any more.
type requestPlan struct {
	drop   fieldSet // fields of the request that may not be sent
	target []byte   // as it is sent, but without the / in front of a query that has no path
	host   []byte   // Host to add; nil = none
	length int64    // Content-Length to add, -1 = none

	chunked bool // add Transfer-Encoding: chunked
	close   bool // add Connection: close

	mode sending
	left int64    // with sendFixed
	last bool     // no request may follow
	asks exchange // what the answer must know
}

// plan decides how r is sent; body is the octets that follow in the same message, or streamed, and length how the body
// is announced when no field does that.
func (e *RequestEncoder) plan(r *Request, body, length int64) (p requestPlan, err error) {
	s := e.state
	switch {
	case s.sent.open || s.switched || s.asked:
		// RFC 9110, 7.8: behind a request for another protocol nothing is HTTP or not before the answer says which.
		return p, ErrOrder
	case s.closing:
		return p, ErrAfterLast
	case !validToken(r.Method):
		return p, refuse(0, "bad method")
	case r.targetEnd == 0 || !validTarget(r.Target(), false) || !validForm(r.Method, r.Target()):
		return p, refuse(0, "bad request target")
	}
	p.length, p.target = -1, r.Target()
	if e.Origin {
		p.target = originForm(r.Method, p.target)
	}
	if err = p.addHost(r); err != nil {
		return p, err
	}
	if err = p.frame(r, body, length, s.oldPeer); err != nil {
		return p, err
	}
	if p.mode == sendNothing {
		// RFC 9110, 10.1.1: no expectation without content.
		p.drop |= fieldExpect.bit()
	}
	p.note(r)
	return p, nil
}

// addHost checks that the request says for which host it is; the field is added when the target says it. RFC 9112, 3.2.
func (p *requestPlan) addHost(r *Request) error {
	h := &r.Header
	if i := h.find(fieldHost, 0); i >= 0 {
		switch {
		case h.find(fieldHost, i+1) >= 0:
			return refuse(0, "duplicate host")
		case !validHost(h.valueAt(&h.fields[i])):
			return refuse(0, "bad host")
		}
		return nil
	}
	if p.host = r.Host(); p.host == nil {
		return refuse(0, "missing host")
	}
	return nil
}

// frame decides where the body ends. RFC 9112, 6.1 to 6.3; RFC 9110, 8.6.
func (p *requestPlan) frame(r *Request, body, length int64, old bool) (err error) {
	h := &r.Header
	switch {
	case h.present.has(fieldTransferEncoding):
		_, err = h.givenCodings()
		p.mode = sendChunked
	case h.present.has(fieldContentLength):
		p.left, err = h.givenLength(body)
		p.mode = sendFixed
	default:
		err = p.addFraming(r.Method, length)
	}
	empty := p.mode == sendNothing || p.mode == sendFixed && p.left == 0
	switch {
	case err != nil:
		return err
	case p.mode == sendChunked && old:
		// RFC 9112, 6.1: such a server would take the chunks for something else.
		return refuse(0, "transfer-encoding in 1.0")
	case r.Method == MethodConnect && !empty:
		return refuse(0, "content in CONNECT")
	case r.Method == MethodTrace && !empty:
		return refuse(0, "content in TRACE")
	case empty:
		p.mode = sendNothing
	}
	return nil
}

// addFraming is frame for a request that has no field of it.
func (p *requestPlan) addFraming(m Method, length int64) error {
	switch {
	case length > 0:
		p.mode, p.left, p.length = sendFixed, length, length
	case length == LengthChunked:
		p.mode, p.chunked = sendChunked, true
	case length < 0:
		return refuse(0, "bad length")
	case m == MethodPost || m == MethodPut || m == MethodPatch:
		p.length = 0 // RFC 9110, 8.6: content is expected, so say that there is none
	}
	return nil
}

// note keeps what the answer must know, and whether another request can follow.
func (p *requestPlan) note(r *Request) {
	closes, _, upgrades := r.Header.connection()
	p.last = closes || !r.KeepAlive
	p.close = p.last && !closes
	if r.Method == MethodHead {
		p.asks = exchangeHead
	}
	if r.Method == MethodConnect {
		p.asks = exchangeConnect | exchangeUpgrade
	}
	if upgrades && r.Header.present.has(fieldUpgrade) {
		p.asks |= exchangeUpgrade
	}
	if !p.last {
		p.asks |= exchangeKeepAlive
	}
}

// addedToRequest is the most that appendHead writes besides method, target, fields and Host.
const addedToRequest = len("  HTTP/1.1\r\n") + len("Host: \r\n") + len(addedLength) + 19 + len("\r\n") + len(addedChunked) +
	len(addedClose) + len("\r\n")

// wireBytes returns the most octets that appendHead writes.
func (r *Request) wireBytes() int {
	return addedToRequest + len(r.Method) + 2*len(r.Target()) + r.Header.wireBytes()
}

// appendHead writes request line, fields and the empty line. Host comes first, RFC 9110, 7.2.
func (p *requestPlan) appendHead(dst []byte, r *Request) []byte {
	dst = append(append(dst, r.Method...), ' ')
	if p.target[0] == '?' {
		dst = append(dst, '/')
	}
	dst = append(append(dst, p.target...), " HTTP/1.1\r\n"...)
	if p.host != nil {
		dst = append(append(append(dst, "Host: "...), p.host...), "\r\n"...)
	}
	dst = r.Header.appendWire(dst, p.drop)
	if p.length >= 0 {
		dst = strconv.AppendInt(append(dst, addedLength...), p.length, 10)
		dst = append(dst, "\r\n"...)
	}
	if p.close {
		dst = append(dst, addedClose...)
	}
	if p.chunked {
		dst = append(dst, addedChunked...)
	}
	return append(dst, "\r\n"...)
}
