package httpx

import (
	"bytes"
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// LengthChunked stands for a body whose length is not announced: it comes in chunks. RFC 9112, 7.1.
const LengthChunked int64 = -1

// LengthUntilClose stands for a response body that ends with the connection. RFC 9112, 6.3.
const LengthUntilClose int64 = -2

// Request is the head of a request. Its body follows as *Content, the last of which has Last; when Length is 0 nothing
// follows. A decoder makes it, or NewRequest; a literal has no target.
//
// A decoded one holds octets of the read buffer: whoever has a Request owns one reference and releases it exactly once;
// the slices got from it end with it. Retain and Release are safe for concurrent use; all else belongs to one goroutine
// at a time.
type Request struct {
	Method Method
	// Version is, inbound, as sent; everything from 1.1 up is treated like 1.1. Outbound it is not looked at: this package
	// always sends HTTP/1.1.
	Version Version
	Header  Header
	// Length is the octets of the body: 0 = none, LengthChunked = not announced. Outbound it counts when Header has
	// neither Content-Length nor Transfer-Encoding.
	Length int64
	// KeepAlive tells whether the client can take another response on this connection; outbound, false adds
	// Connection: close. RFC 9112, 9.3.
	KeepAlive bool
	// ExpectContinue tells that the client waits for 100 (Continue) or a final status before it sends the body.
	// RFC 9110, 10.1.1.
	ExpectContinue bool
	// Upgrade tells, inbound, that the client asks for another protocol: the Upgrade field, or CONNECT. What follows the
	// message is not read before the answer. Outbound the header counts. RFC 9110, 7.8 and 9.3.6.
	Upgrade bool

	refs              buffer.Refs
	head              head
	target, targetEnd uint32
	diverted          HandlerFunc // nil: it is served as usual
}

var _ buffer.Counted = (*Request)(nil)

var requests = sync.Pool{New: func() any { return new(Request) }}

func newRequest() *Request {
	r := requests.Get().(*Request)
	r.refs.Revive()
	return r
}

// NewRequest returns a request with that method and target, no fields and no body, that keeps the connection alive. They
// are checked when the request is encoded. Safe for concurrent use. Encoders do not take it: the caller, or the pipeline
// that it is written to, must Release it.
func NewRequest(method Method, target string) *Request {
	r := newRequest()
	r.Method, r.KeepAlive = method, true
	r.SetTarget(target)
	return r
}

// SetTarget gives the request another target. It is checked when the request is encoded.
func (r *Request) SetTarget(target string) {
	r.Header.own()
	if r.head.slice.Len() > 0 {
		r.head.drop()
	}
	r.head.octets = append(r.head.small[:0], target...)
	r.target, r.targetEnd = 0, uint32(len(target))
}

// Target returns the request target as it was sent. RFC 9112, 3.2.
func (r *Request) Target() []byte { return r.head.octets[r.target:r.targetEnd] }

// Host returns the host and port that the request is for: the authority of an absolute target, of which any Host field
// is overridden, the target of CONNECT, or the Host field. nil = not said. RFC 9112, 3.2 and 3.3.
func (r *Request) Host() []byte {
	target := r.Target()
	if r.Method == MethodConnect {
		return target
	}
	if authority, ok := authorityOf(target); ok {
		return authority
	}
	if i := r.Header.find(fieldHost, 0); i >= 0 {
		return r.Header.valueAt(&r.Header.fields[i])
	}
	return nil
}

// authorityOf returns the authority of a target in absolute-form; ok is false for any other form.
func authorityOf(target []byte) (authority []byte, ok bool) {
	if len(target) == 0 || target[0] == '/' {
		return nil, false
	}
	_, rest, ok := bytes.Cut(target, []byte("://"))
	if !ok {
		return nil, false
	}
	if end := bytes.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest, true
}

// Divert has the request answered by f, in its turn, instead of the function of Handle. It is for handlers between the
// codec and Handle that find a request not fit to be served. Call it on the event loop only, before the request is
// passed on.
func (r *Request) Divert(f HandlerFunc) { r.diverted = f }

// detach gives the request octets that belong to no pool: it needs no release then, and stays readable for ever.
func (r *Request) detach() {
	r.head.detach()
	if r.Header.view {
		r.Header.wire = r.head.octets
	}
}

// moveTo makes dst, an empty one, what r is, and releases r. It copies when somebody else holds r.
func (r *Request) moveTo(dst *Request) {
	dst.Method, dst.Version, dst.Length = r.Method, r.Version, r.Length
	dst.KeepAlive, dst.ExpectContinue, dst.Upgrade = r.KeepAlive, r.ExpectContinue, r.Upgrade
	dst.diverted = r.diverted
	if r.refs.Shared() {
		dst.Header.AddAll(&r.Header)
		dst.SetTarget(string(r.Target()))
	} else {
		dst.target, dst.targetEnd = r.target, r.targetEnd
		r.head.moveTo(&dst.head, &r.Header, &dst.Header)
	}
	r.Release()
}

// Retain adds one reference; it needs its own Release. Safe for concurrent use.
func (r *Request) Retain() { r.refs.Retain("httpx: Request") }

// Release drops one reference; the last one gives everything back. One too many panics. Safe for concurrent use.
func (r *Request) Release() {
	if r.refs.Drop("httpx: Request") {
		r.clear()
		r.refs.Recycle(&requests, r)
	}
}

func (r *Request) clear() {
	r.head.drop()
	r.Header.recycle()
	r.Method, r.Version, r.Length = "", 0, 0
	r.KeepAlive, r.ExpectContinue, r.Upgrade = false, false, false
	r.target, r.targetEnd = 0, 0
	r.diverted = nil
}
