package httpx

import (
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Response is the head of a response. Its body follows as *Content, the last of which has Last.
//
// Inbound, nothing follows when Length is 0. Outbound, a response is complete by itself when it is interim (1xx), leaves
// HTTP (101, or 2xx to CONNECT), has status 204, 205 or 304, answers HEAD, or says Content-Length: 0; Content that is
// written behind it all the same is dropped silently, up to its Last.
//
// NewResponse takes one from a pool; a literal works as well. Whoever has a Response owns one reference and releases it
// exactly once. Retain and Release are safe for concurrent use; all else belongs to one goroutine at a time.
type Response struct {
	Status int    // three digits
	Reason string // outbound "" = the usual phrase of the status, if it has one
	Header Header
	// Close ends the connection behind this response: outbound it adds Connection: close, inbound it tells that the
	// connection cannot be used again. RFC 9112, 9.3 and 9.6.
	Close bool

	// Identity tells handlers on the way out to leave the body as it is: its octets are counted, or are a part of
	// something, so that compressing them would be wrong. The encoder does not look at it.
	Identity bool

	// Version is what the peer sent. Outbound it is not looked at: this package always sends HTTP/1.1. RFC 9110, 2.5.
	Version Version
	// Length is, inbound, the octets of the body: 0 = none, LengthChunked, or LengthUntilClose. Outbound it is not
	// looked at: the framing fields of Header count.
	Length int64
	// Upgrade tells, inbound, that what follows this head is another protocol's. RFC 9110, 7.8 and 9.3.6.
	Upgrade bool

	refs buffer.Refs
	head head
}

var _ buffer.Counted = (*Response)(nil)

var responses = sync.Pool{New: func() any { return new(Response) }}

// NewResponse returns a response with that status from the pool. Safe for concurrent use. Encoders do not take it: the
// caller, or the pipeline that it is written to, must Release it.
func NewResponse(status int) *Response {
	r := responses.Get().(*Response)
	r.refs.Revive()
	r.Status = status
	return r
}

// Interim reports whether another response to the same request follows. 101 is final. RFC 9110, 15.2.
func (r *Response) Interim() bool { return r.Status < 200 && r.Status != statusSwitching }

// moveTo makes dst, an empty one, what r is, and releases r. It copies when somebody else holds r.
func (r *Response) moveTo(dst *Response) {
	dst.Status, dst.Reason, dst.Version, dst.Length = r.Status, r.Reason, r.Version, r.Length
	dst.Close, dst.Upgrade, dst.Identity = r.Close, r.Upgrade, r.Identity
	if r.refs.Shared() {
		dst.Header.AddAll(&r.Header)
	} else {
		r.head.moveTo(&dst.head, &r.Header, &dst.Header)
	}
	r.Release()
}

// Retain adds one reference; it needs its own Release. Safe for concurrent use.
func (r *Response) Retain() { r.refs.Retain("httpx: Response") }

// Release drops one reference; the last one gives everything back. One too many panics. Safe for concurrent use.
func (r *Response) Release() {
	if r.refs.Drop("httpx: Response") {
		r.clear()
		r.refs.Recycle(&responses, r)
	}
}

func (r *Response) clear() {
	r.head.drop()
	r.Header.recycle()
	r.Status, r.Reason, r.Version, r.Length = 0, "", 0, 0
	r.Close, r.Upgrade, r.Identity = false, false, false
}
