package httpx

import (
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Content is a piece of a body, by reference. Where pieces are cut has no meaning.
//
// It is counted like Request: whoever receives it releases it exactly once. Retain and Release are safe for concurrent
// use.
type Content struct {
	// Data is the octets, read-only. The Content owns its reference.
	Data buffer.Slice
	refs count
}

var _ buffer.Counted = (*Content)(nil)

var contents = sync.Pool{New: func() any { return new(Content) }}

// NewContent returns a piece with data from the pool and takes data's reference. Safe for concurrent use. Encoders do
// not take it: the caller, or the pipeline that it is written to, must Release it.
func NewContent(data buffer.Slice) *Content {
	c := contents.Get().(*Content)
	c.refs.revive()
	c.Data = data
	return c
}

// Bytes returns the octets, read-only and valid until the release.
func (c *Content) Bytes() []byte { return c.Data.Bytes() }

// Len returns the number of octets.
func (c *Content) Len() int { return c.Data.Len() }

// Retain adds one reference; it needs its own Release. Safe for concurrent use.
func (c *Content) Retain() { c.refs.retain("Content") }

// Release drops one reference; the last one gives everything back. One too many panics. Safe for concurrent use.
func (c *Content) Release() {
	if c.refs.drop("Content") {
		c.Data.Release()
		c.Data = buffer.Slice{}
		recycle(&contents, c)
	}
}
