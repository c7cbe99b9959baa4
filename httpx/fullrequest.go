package httpx

import (
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// FullRequest is a whole request: head, body and trailers in one message. Outbound Content-Length is added when it is
// missing, and a small body is copied behind the head, so that the request is one buffer. Inbound an Aggregator makes it,
// with Length the octets of the body.
//
// NewFullRequest takes one from a pool. It is counted like Request.
type FullRequest struct {
	Request
	// Trailer is the fields behind the body; nil = none. Decoded ones never have fields that decide about framing, routing
	// or authentication. Outbound they are sent when the body is chunked: it is, unless the header says Content-Length or
	// the server knows no chunks. RFC 9110, 6.5; RFC 9112, 7.1.2.
	Trailer *Header

	wholeBody
}

var _ buffer.Counted = (*FullRequest)(nil)

var fullRequests = sync.Pool{New: func() any { return new(FullRequest) }}

// NewFullRequest returns a request with that method and target, no fields and no body from the pool. Safe for concurrent
// use. Encoders do not take it: the caller, or the pipeline that it is written to, must Release it.
func NewFullRequest(method Method, target string) *FullRequest {
	f := newFullRequest()
	f.Method, f.KeepAlive = method, true
	f.SetTarget(target)
	return f
}

func newFullRequest() *FullRequest {
	f := fullRequests.Get().(*FullRequest)
	f.refs.Revive()
	return f
}

// Retain adds one reference; it needs its own Release. Safe for concurrent use.
func (f *FullRequest) Retain() { f.refs.Retain("httpx: FullRequest") }

// Release drops one reference; the last one gives everything back. One too many panics. Safe for concurrent use.
func (f *FullRequest) Release() {
	if f.refs.Drop("httpx: FullRequest") {
		f.dropBody()
		f.Trailer = nil
		f.clear()
		f.refs.Recycle(&fullRequests, f)
	}
}

// takeBody takes the body and the trailers out, as the piece that a decoder would have made of them.
func (f *FullRequest) takeBody() *Content {
	data := f.slice
	if f.text != "" || f.plain != nil {
		b := buffer.FromBytes(f.Body())
		data = b.Slice(0, b.Len())
		b.Release()
	} else {
		f.slice = buffer.Slice{}
	}
	c := newPiece(data, true)
	c.Trailer, f.Trailer = f.Trailer, nil
	f.dropBody()
	return c
}

func (f *FullRequest) wireBytes() int {
	return f.Request.wireBytes() + f.wholeBody.wireBytes(f.Trailer)
}
