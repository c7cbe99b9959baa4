package httpx

import (
	"strconv"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// ResponseEncoder writes a server's answers: *FullResponse, or *Response and then *Content up to the Last; besides, each
// WholeResponse. It adds what a handler need not know: Content-Length or chunks, no body where there may be none,
// Connection. It refuses what would inject, truncate or contradict its length, and then writes nothing. Content up to its
// Last behind a Response that is complete by itself is dropped silently.
//
// Call it on the event loop only.
type ResponseEncoder struct {
	state *State
	alone bool // state is its own: no request is known
	stamp stamp
}

// NewResponseEncoder returns an encoder for a new connection. state is shared with the connection's RequestDecoder; nil
// is an encoder alone, to which each response answers an HTTP/1.1 GET that keeps the connection alive.
func NewResponseEncoder(state *State) *ResponseEncoder {
	if state == nil {
		return &ResponseEncoder{state: new(State), alone: true}
	}
	return &ResponseEncoder{state: state}
}

func (e *ResponseEncoder) asked() exchange {
	if e.alone {
		return exchangeKeepAlive | exchangeUpgrade
	}
	return e.state.peek()
}

// Accepts reports whether Encode takes msg. Others are passed on unread: octets behind an answer that leaves HTTP.
func (e *ResponseEncoder) Accepts(msg any) bool {
	switch msg.(type) {
	case *FullResponse, *Content, *Response, WholeResponse:
		return true
	}
	return false
}

// Size returns the most octets that Encode writes for m besides what travels by reference.
func (e *ResponseEncoder) Size(m any) int {
	switch m := m.(type) {
	case *FullResponse:
		return m.wireBytes() + e.stamp.wireBytes()
	case *Content:
		return m.wireBytes()
	case *Response:
		return m.wireBytes() + e.stamp.wireBytes()
	case WholeResponse:
		if f := m.Whole(); f != nil {
			return f.wireBytes() + e.stamp.wireBytes()
		}
	}
	return 0
}

// Encode writes m. It returns ErrOrder, ErrAfterLast or an *Error with Status 0, and then nothing was written. It does
// not keep m and does not release it; a large body gets a reference of its own.
func (e *ResponseEncoder) Encode(out *buffer.Writer, m any) error {
	switch m := m.(type) {
	case *FullResponse:
		return e.full(out, m)
	case *Content:
		return e.state.sent.content(out, m)
	case *Response:
		return e.head(out, m)
	case WholeResponse: // an interface, so last
		if f := m.Whole(); f != nil {
			return e.full(out, f)
		}
	}
	return ErrOrder
}

func (e *ResponseEncoder) full(out *buffer.Writer, f *FullResponse) error {
	body := int64(f.BodyLen())
	if f.Trailer != nil && f.Trailer.Len() > 0 && f.Header.present&framingFields == 0 && !e.asked().has(exchangeOld) {
		body = streamed // there are no trailers behind a body of fixed length
	}
	p, err := e.plan(&f.Response, body)
	if err != nil || p.silent {
		return err
	}
	if p.mode == sendChunked {
		if err = checkTrailer(f.Trailer); err != nil {
			return err
		}
	}
	e.state.whole(&p)
	f.write(out, e.appendHead(out.Reserve(f.wireBytes() + e.stamp.wireBytes())[:0], &f.Response, &p), p.mode, f.Trailer)
	return nil
}

func (e *ResponseEncoder) head(out *buffer.Writer, r *Response) error {
	p, err := e.plan(r, streamed)
	if err != nil {
		return err
	}
	if !p.silent {
		out.Commit(len(e.appendHead(out.Reserve(r.wireBytes() + e.stamp.wireBytes())[:0], r, &p)))
	}
	e.state.begin(&p)
	return nil
}

// begin notes that a response head is written.
func (s *State) begin(p *plan) {
	if p.interim {
		s.sent = outgoing{dropping: true}
		return
	}
	s.pop()
	s.sent.begin(p.mode, p.left)
	s.switched, s.closing = p.switches, p.last
}

// whole is begin for a response that is written with its body.
func (s *State) whole(p *plan) {
	s.sent.end()
	if !p.interim {
		s.pop()
		s.switched, s.closing = p.switches, p.last
	}
}

// wireBytes returns the most octets that appendHead writes.
func (r *Response) wireBytes() int {
	return addedBytes + len(r.reason()) + r.Header.wireBytes()
}

func (f *FullResponse) wireBytes() int {
	return f.Response.wireBytes() + f.wholeBody.wireBytes(f.Trailer)
}

func (r *Response) reason() string {
	if r.Reason == "" {
		return StatusText(r.Status)
	}
	return r.Reason
}

// appendHead writes status line, fields and the empty line. RFC 9112, 4 and 5.
func (e *ResponseEncoder) appendHead(dst []byte, r *Response, p *plan) []byte {
	if r.Status == 200 && r.Reason == "" {
		dst = append(dst, "HTTP/1.1 200 OK\r\n"...)
	} else {
		dst = append(dst, "HTTP/1.1 "...)
		dst = append(dst, '0'+byte(r.Status/100), '0'+byte(r.Status/10%10), '0'+byte(r.Status%10), ' ')
		dst = append(dst, r.reason()...)
		dst = append(dst, "\r\n"...)
	}
	if r.Status >= 200 {
		dst = e.stamp.append(dst, r.Header.present)
	}
	dst = r.Header.appendWire(dst, p.drop)
	if p.length >= 0 {
		dst = strconv.AppendInt(append(dst, addedLength...), p.length, 10)
		dst = append(dst, "\r\n"...)
	}
	switch {
	case p.close:
		dst = append(dst, addedClose...)
	case p.keepAlive:
		dst = append(dst, addedKeepAlive...)
	}
	if p.chunked {
		dst = append(dst, addedChunked...)
	}
	return append(dst, "\r\n"...)
}
