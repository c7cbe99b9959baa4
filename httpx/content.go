package httpx

import (
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Content is a piece of a body, by reference. Where pieces are cut has no meaning, except that the last one says so.
//
// It is counted like Request: whoever receives it releases it exactly once. Retain and Release are safe for concurrent
// use.
type Content struct {
	// Data is the octets, read-only; it may be empty. The Content owns its reference.
	Data buffer.Slice
	// Last tells that the message ends behind Data.
	Last bool
	// Trailer is the fields behind a chunked body, only with Last; nil = none. They are kept apart from the header, and
	// fields that decide about framing, routing or authentication are never among the decoded ones. Outbound they are
	// sent when the body is. RFC 9110, 6.5; RFC 9112, 7.1.2.
	Trailer *Header

	refs buffer.Refs
}

// EmptyLast is the end of a body that has no octets and no trailers in its last piece: compare pointers. It is shared by
// all goroutines and must not be changed; its Retain and Release do nothing.
var EmptyLast = &Content{Last: true}

var _ buffer.Counted = (*Content)(nil)

var contents = sync.Pool{New: func() any { return new(Content) }}

// NewContent returns a piece with data from the pool and takes data's reference. Safe for concurrent use. Encoders do
// not take it: the caller, or the pipeline that it is written to, must Release it.
func NewContent(data buffer.Slice) *Content {
	c := contents.Get().(*Content)
	c.refs.Revive()
	c.Data = data
	return c
}

// newPiece is NewContent for a decoder.
func newPiece(data buffer.Slice, last bool) *Content {
	c := NewContent(data)
	c.Last = last
	return c
}

// Bytes returns the octets, read-only and valid until the release.
func (c *Content) Bytes() []byte { return c.Data.Bytes() }

// Len returns the number of octets.
func (c *Content) Len() int { return c.Data.Len() }

// Retain adds one reference; it needs its own Release. Safe for concurrent use.
func (c *Content) Retain() {
	if c != EmptyLast {
		c.refs.Retain("httpx: Content")
	}
}

// Release drops one reference; the last one gives everything back. One too many panics. Safe for concurrent use.
func (c *Content) Release() {
	if c == EmptyLast || !c.refs.Drop("httpx: Content") {
		return
	}
	c.Data.Release()
	c.Data, c.Last, c.Trailer = buffer.Slice{}, false, nil
	c.refs.Recycle(&contents, c)
}
