package httpx

import "github.com/penstock-go/penstock/pipeline/buffer"

// LastContent is the end of a message. RFC 9112, 7.1.2.
type LastContent struct {
	// Trailer is the fields behind a chunked body. They are kept apart from the header, and fields that decide about
	// framing, routing or authentication are never among the decoded ones. RFC 9110, 6.5.
	Trailer Header
}

// EmptyLast is the end of every message that has no trailers, decoded or to be encoded: compare pointers. It is shared
// by all goroutines and must not be changed.
var EmptyLast = &LastContent{}

var _ buffer.Counted = (*LastContent)(nil)

// Retain does nothing: a LastContent holds no pooled memory. Safe for concurrent use.
func (l *LastContent) Retain() {}

// Release does nothing: a LastContent holds no pooled memory. Safe for concurrent use.
func (l *LastContent) Release() {}
