package httpx

import (
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// FullResponse is a whole response: head, body and trailers in one message. Outbound it is the usual answer of a handler:
// Content-Length is added when it is missing, and a small body is copied behind the head, so that the answer is one
// buffer. Inbound an Aggregator makes it, with Length the octets of the body.
//
// NewFullResponse takes one from a pool; a literal works as well. It is counted like Response. One that is kept and
// written again and again is retained before each write and not changed any more.
type FullResponse struct {
	Response
	// Trailer is the fields behind the body; nil = none. Decoded ones never have fields that decide about framing, routing
	// or authentication. Outbound they are sent when the body is chunked: it is, unless the header says Content-Length or
	// the client knows no chunks. RFC 9110, 6.5; RFC 9112, 7.1.2.
	Trailer *Header

	wholeBody
}

var _ buffer.Counted = (*FullResponse)(nil)

var fullResponses = sync.Pool{New: func() any { return new(FullResponse) }}

// NewFullResponse returns an answer with that status and no body from the pool. Safe for concurrent use. Encoders do not
// take it: the caller, or the pipeline that it is written to, must Release it.
func NewFullResponse(status int) *FullResponse {
	f := fullResponses.Get().(*FullResponse)
	f.refs.Revive()
	f.Status = status
	return f
}

// newRefusal returns the answer that a server gives by itself, behind which it closes.
func newRefusal(status int) (*FullResponse, error) {
	f := NewFullResponse(status)
	f.Close = true
	f.SetBodyString(StatusText(status) + "\n")
	if err := f.Header.Add("content-type", "text/plain; charset=utf-8"); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

// Retain adds one reference; it needs its own Release. Safe for concurrent use.
func (f *FullResponse) Retain() { f.refs.Retain("httpx: FullResponse") }

// Release drops one reference; the last one gives everything back. One too many panics. Safe for concurrent use.
func (f *FullResponse) Release() {
	if f.refs.Drop("httpx: FullResponse") {
		f.dropBody()
		f.Trailer = nil
		f.clear()
		f.refs.Recycle(&fullResponses, f)
	}
}
