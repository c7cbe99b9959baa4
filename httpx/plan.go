package httpx

// plan is what a response head needs before an octet of it is written: nothing in it can fail any more.
type plan struct {
	drop   fieldSet // fields of the response that may not be sent
	length int64    // Content-Length to add, -1 = none

	chunked   bool // add Transfer-Encoding: chunked
	close     bool // add Connection: close
	keepAlive bool // add Connection: keep-alive

	mode     sending
	left     int64 // with sendFixed
	last     bool  // the connection ends behind this response
	interim  bool
	switches bool
	silent   bool // write nothing at all
}

// streamed stands for a body whose length is not known when the head is encoded.
const streamed int64 = -1

// plan decides how r is sent; body is the octets that follow in the same message, or streamed.
func (e *ResponseEncoder) plan(r *Response, body int64) (p plan, err error) {
	s := e.state
	switch {
	case s.sent.open || s.switched:
		return p, ErrOrder
	case s.closing:
		return p, ErrAfterLast
	case r.Status < 100 || r.Status > 999:
		return p, refuse(0, "bad status")
	case !validValue(r.Reason):
		return p, refuse(0, "bad reason phrase")
	}
	asked := e.asked()
	p.length = -1
	switch {
	case r.Interim():
		if s.n == 0 && !e.alone {
			return p, ErrOrder
		}
		// RFC 9110, 15.2: no 1xx to an HTTP/1.0 client.
		p.interim, p.silent, p.drop = true, asked.has(exchangeOld), framingFields
		return p, nil
	case r.Status == statusSwitching:
		if !asked.has(exchangeUpgrade) || asked.has(exchangeConnect) {
			return p, refuse(0, "switching protocols without being asked")
		}
		p.switches, p.drop = true, framingFields
		return p, nil
	case asked.has(exchangeConnect) && r.Status/100 == 2:
		p.switches, p.drop = true, framingFields
		return p, nil
	}
	if err := p.frame(r, body, asked); err != nil {
		return p, err
	}
	p.persist(r, asked, s.n == 0 && !e.alone)
	return p, nil
}

// frame decides where the body ends. RFC 9112, 6.1 to 6.3; RFC 9110, 8.6.
func (p *plan) frame(r *Response, body int64, asked exchange) error {
	h := &r.Header
	switch {
	case r.Status == statusNoContent:
		p.drop = framingFields
		return nil
	case r.Status == statusResetContent:
		p.drop, p.length = framingFields, 0
		return nil
	}
	notModified := r.Status == statusNotModified
	bodiless := notModified || asked.has(exchangeHead)
	var err error
	switch {
	case h.present.has(fieldTransferEncoding):
		err = p.givenCodings(h, body, asked.has(exchangeOld))
	case h.present.has(fieldContentLength):
		err = p.givenLength(h, body, bodiless)
	case notModified:
	case body != streamed:
		p.mode, p.length, p.left = sendFixed, body, body
	case asked.has(exchangeOld):
		p.mode = sendUntilClose
	default:
		p.mode, p.chunked = sendChunked, true
	}
	if bodiless {
		// RFC 9110, 8.6, 9.3.2 and 15.4.5: the fields of the body that is not sent, but no length that is not known.
		p.mode, p.chunked = sendNothing, false
	}
	if notModified || bodiless && body == 0 {
		p.length = -1 // what GET would have got is not known
	}
	return err
}

func (p *plan) givenLength(h *Header, body int64, bodiless bool) error {
	if bodiless {
		body = streamed // it is not sent
	}
	n, err := h.givenLength(body)
	p.mode, p.left = sendFixed, n
	return err
}

func (p *plan) givenCodings(h *Header, body int64, old bool) error {
	others, err := h.givenCodings()
	switch {
	case err != nil:
		return err
	case !old:
		p.mode = sendChunked
		return nil
	case others > 0:
		return refuse(0, "transfer-encoding in 1.0")
	}
	p.drop = fieldTransferEncoding.bit()
	if body == streamed {
		p.mode = sendUntilClose
	} else {
		p.mode, p.length, p.left = sendFixed, body, body
	}
	return nil
}

// givenLength checks the Content-Length of an outbound message, whose body has that many octets or is streamed.
func (h *Header) givenLength(body int64) (int64, error) {
	if h.twice.has(fieldContentLength) {
		return 0, refuse(0, "duplicate content-length")
	}
	n, ok := parseLength(h.valueOf(fieldContentLength))
	switch {
	case !ok:
		return 0, refuse(0, "bad content-length")
	case body == streamed:
	case body > n:
		return 0, refuse(0, "body longer than content-length")
	case body < n:
		return 0, refuse(0, "body shorter than content-length")
	}
	return n, nil
}

// givenCodings checks the Transfer-Encoding of an outbound message and returns how many codings are in front of chunked.
func (h *Header) givenCodings() (others int, err error) {
	if h.present.has(fieldContentLength) {
		return 0, refuse(0, "both length and chunked")
	}
	chunked, others, last := h.codings()
	if chunked != 1 || !last {
		return 0, refuse(0, "final coding is not chunked")
	}
	return others, nil
}

// persist decides whether the connection goes on. unasked is a response to no request that could be read: the peer
// cannot tell what it answers, so nothing may follow. RFC 9112, 9.3 and 9.6.
func (p *plan) persist(r *Response, asked exchange, unasked bool) {
	closes, keeps, _ := r.Header.connection()
	p.last = closes || r.Close || unasked || p.mode == sendUntilClose || !asked.has(exchangeKeepAlive)
	p.close = p.last && !closes
	p.keepAlive = !p.last && !keeps && asked.has(exchangeOld)
}

// addedBytes is the most that appendHead writes besides the fields of the response and its reason.
const addedBytes = len("HTTP/1.1 200 \r\n") + len(addedLength) + 19 + len("\r\n") + len(addedChunked) +
	len(addedKeepAlive) + len("\r\n")

const (
	addedLength    = "Content-Length: "
	addedChunked   = "Transfer-Encoding: chunked\r\n"
	addedClose     = "Connection: close\r\n"
	addedKeepAlive = "Connection: keep-alive\r\n"
)
