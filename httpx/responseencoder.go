package httpx

import (
	"strconv"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// copiedBody is the length up to which a body piece is copied behind its head instead of travelling by reference: one
// buffer in one write costs less than two.
const copiedBody = 1 << 10

// ResponseEncoder writes a server's answers: *FullResponse, or *Response, *Content and *LastContent in this order. It
// adds what a handler need not know: Content-Length or chunks, no body where there may be none, Connection. It refuses
// what would inject, truncate or contradict its length, and then writes nothing.
//
// Call it on the event loop only.
type ResponseEncoder struct {
	state *State
	alone bool // state is its own: no request is known
	tail  bool // the head before was complete by itself, so that a LastContent may follow that ends nothing
	mode  sending
	left  int64
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
	case *FullResponse, *Content, *LastContent, *Response:
		return true
	}
	return false
}

// Size returns the most octets that Encode writes for m besides what travels by reference.
func (e *ResponseEncoder) Size(m any) int {
	switch m := m.(type) {
	case *FullResponse:
		return m.wireBytes()
	case *Content:
		return chunkBytes(m.Len())
	case *LastContent:
		return len(lastChunk) + m.Trailer.wireBytes() + len("\r\n")
	case *Response:
		return m.wireBytes()
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
		return e.content(out, m)
	case *LastContent:
		return e.last(out, m)
	case *Response:
		return e.head(out, m)
	}
	return ErrOrder
}

func (e *ResponseEncoder) full(out *buffer.Writer, f *FullResponse) error {
	body := f.BodyLen()
	p, err := e.plan(&f.Response, int64(body))
	if err != nil || p.silent {
		return err
	}
	e.begin(&p)
	b := p.appendHead(out.Reserve(f.wireBytes())[:0], &f.Response)
	switch {
	case p.mode == sendNothing || body == 0:
	case f.byReference():
		e.byReference(out, b, f.slice)
		b = out.Reserve(len(lastChunk) + len("\r\n"))[:0]
	case p.mode == sendChunked:
		b = append(f.appendCopied(appendChunkSize(b, body)), "\r\n"...)
	default:
		b = f.appendCopied(b)
	}
	if p.mode == sendChunked {
		b = append(append(b, lastChunk...), "\r\n"...)
	}
	out.Commit(len(b))
	e.state.open = false
	return nil
}

func (e *ResponseEncoder) head(out *buffer.Writer, r *Response) error {
	p, err := e.plan(r, streamed)
	if err != nil {
		return err
	}
	if !p.silent {
		out.Commit(len(p.appendHead(out.Reserve(r.wireBytes())[:0], r)))
	}
	e.begin(&p)
	return nil
}

// begin notes that a head is written.
func (e *ResponseEncoder) begin(p *plan) {
	e.tail = p.interim || p.switches
	if p.interim {
		return
	}
	e.mode, e.left = p.mode, p.left
	e.state.pop()
	e.state.open, e.state.switched, e.state.closing = !p.switches, p.switches, p.last
}

func (e *ResponseEncoder) content(out *buffer.Writer, c *Content) error {
	n := c.Len()
	switch {
	case !e.state.open:
		return ErrOrder
	case e.mode == sendNothing || n == 0:
		// RFC 9112, 7.1: an empty chunk would be the last one.
		return nil
	case e.mode == sendFixed && int64(n) > e.left:
		return refuse(0, "body longer than content-length")
	}
	b := out.Reserve(chunkBytes(n))[:0]
	if n > copiedBody {
		e.byReference(out, b, c.Data)
		return nil
	}
	if e.mode == sendChunked {
		b = append(append(appendChunkSize(b, n), c.Bytes()...), "\r\n"...)
	} else {
		b = append(b, c.Bytes()...)
		e.left -= int64(n)
	}
	out.Commit(len(b))
	return nil
}

// byReference commits b, which was reserved, and appends s as a piece of the body without copying it.
func (e *ResponseEncoder) byReference(out *buffer.Writer, b []byte, s buffer.Slice) {
	if e.mode == sendChunked {
		b = appendChunkSize(b, s.Len())
	}
	out.Commit(len(b))
	s.Retain()
	out.AppendSlice(s)
	if e.mode == sendChunked {
		out.AppendString("\r\n")
	} else {
		e.left -= int64(s.Len())
	}
}

func (e *ResponseEncoder) last(out *buffer.Writer, l *LastContent) error {
	switch {
	case !e.state.open && e.tail && l.Trailer.Len() == 0:
		e.tail = false
		return nil
	case !e.state.open:
		return ErrOrder
	case e.mode == sendFixed && e.left > 0:
		return refuse(0, "body shorter than content-length")
	case e.mode == sendChunked:
		for name := range l.Trailer.All() {
			if trailerName(name) != fieldOther {
				return refuse(0, "forbidden trailer")
			}
		}
		b := out.Reserve(e.Size(l))[:0]
		b = append(b, lastChunk...)
		b = append(l.Trailer.appendWire(b, 0), "\r\n"...)
		out.Commit(len(b))
	}
	e.state.open = false
	return nil
}

const lastChunk = "0\r\n"

// chunkBytes returns the most octets that a body piece of n octets takes, besides what travels by reference.
func chunkBytes(n int) int {
	const around = 16 + len("\r\n") + len("\r\n")
	if n > copiedBody {
		return around
	}
	return around + n
}

func appendChunkSize(dst []byte, n int) []byte {
	return append(strconv.AppendUint(dst, uint64(n), 16), "\r\n"...)
}

// wireBytes returns the most octets that appendHead writes.
func (r *Response) wireBytes() int {
	return addedBytes + len(r.reason()) + r.Header.wireBytes()
}

func (f *FullResponse) wireBytes() int {
	return f.Response.wireBytes() + len(f.text) + len(f.plain) + chunkBytes(f.slice.Len()) + len(lastChunk) + len("\r\n")
}

func (r *Response) reason() string {
	if r.Reason == "" {
		return StatusText(r.Status)
	}
	return r.Reason
}

// appendHead writes status line, fields and the empty line. RFC 9112, 4 and 5.
func (p *plan) appendHead(dst []byte, r *Response) []byte {
	if r.Status == 200 && r.Reason == "" {
		dst = append(dst, "HTTP/1.1 200 OK\r\n"...)
	} else {
		dst = append(dst, "HTTP/1.1 "...)
		dst = append(dst, '0'+byte(r.Status/100), '0'+byte(r.Status/10%10), '0'+byte(r.Status%10), ' ')
		dst = append(dst, r.reason()...)
		dst = append(dst, "\r\n"...)
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
