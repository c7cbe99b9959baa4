package httpx

import (
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// RequestEncoder writes a client's requests: *FullRequest, or *Request and then *Content up to the Last. It adds
// Content-Length or chunks, Host when the target names it, and Connection: close. It refuses what would inject, truncate or
// contradict its length, chunks for a server that answered with HTTP/1.0, and another request while one for another
// protocol waits for its answer; then it writes nothing. Behind a *Request without a body an EmptyLast is dropped.
//
// Call it on the event loop only.
type RequestEncoder struct {
	// Origin sends a target in absolute-form as a server expects it that is no proxy: path and query, with Host. Set it
	// before the first Encode. RFC 9112, 3.2.1.
	Origin bool

	state *State
}

// NewRequestEncoder returns an encoder for a new connection. state is shared with the connection's ResponseDecoder, which
// learns from it what each response answers; nil is an encoder alone.
func NewRequestEncoder(state *State) *RequestEncoder {
	if state == nil {
		state = new(State)
	}
	return &RequestEncoder{state: state}
}

// Accepts reports whether Encode takes msg. Others are passed on unread: octets behind an answer that leaves HTTP.
func (e *RequestEncoder) Accepts(msg any) bool {
	switch msg.(type) {
	case *FullRequest, *Request, *Content:
		return true
	}
	return false
}

// Takes lists the messages for Pipeline.Check.
func (e *RequestEncoder) Takes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*FullRequest](), reflect.TypeFor[*Request](), reflect.TypeFor[*Content]()}
}

// Size returns the most octets that Encode writes for m besides what travels by reference.
func (e *RequestEncoder) Size(m any) int {
	switch m := m.(type) {
	case *FullRequest:
		return m.wireBytes()
	case *Request:
		return m.wireBytes()
	case *Content:
		return m.wireBytes()
	}
	return 0
}

// Encode writes m. It returns ErrOrder, ErrAfterLast or an *Error with Status 0, and then nothing was written. It does
// not keep m and does not release it; a large body gets a reference of its own.
func (e *RequestEncoder) Encode(out *buffer.Writer, m any) error {
	switch m := m.(type) {
	case *FullRequest:
		return e.full(out, m)
	case *Request:
		return e.head(out, m)
	case *Content:
		if !e.state.sent.open && m.Len() > 0 {
			return ErrOrder // a body that nobody announced must not vanish
		}
		return e.state.sent.content(out, m)
	}
	return ErrOrder
}

func (e *RequestEncoder) full(out *buffer.Writer, f *FullRequest) error {
	body := int64(f.BodyLen())
	length := body
	if f.Trailer != nil && f.Trailer.Len() > 0 && f.Header.present&framingFields == 0 && !e.state.oldPeer {
		length = LengthChunked // there are no trailers behind a body of fixed length
	}
	p, err := e.plan(&f.Request, body, length)
	if err != nil {
		return err
	}
	if p.mode == sendChunked {
		if err = checkTrailer(f.Trailer); err != nil {
			return err
		}
	}
	e.state.ask(&p)
	e.state.sent.end()
	f.write(out, p.appendHead(out.Reserve(f.wireBytes())[:0], &f.Request), p.mode, f.Trailer)
	return nil
}

func (e *RequestEncoder) head(out *buffer.Writer, r *Request) error {
	p, err := e.plan(r, streamed, r.Length)
	if err != nil {
		return err
	}
	out.Commit(len(p.appendHead(out.Reserve(r.wireBytes())[:0], r)))
	e.state.ask(&p)
	return nil
}

// ask notes that a request head is written.
func (s *State) ask(p *requestPlan) {
	s.push(p.asks)
	s.sent.begin(p.mode, p.left)
	s.closing = s.closing || p.last
}
