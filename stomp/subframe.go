package stomp

import (
	"fmt"
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// HeadersSubframe begins a frame that is streamed: command and headers. ContentSubframes follow, the last of
// them with Last set. It is pooled and counted as Frame is, and its strings are valid until its release as those of
// a Frame are; a literal works too.
type HeadersSubframe struct {
	Command Command
	Headers Headers

	refs buffer.Refs
	own  Headers
	textStore
}

// ContentSubframe is a piece of the body of a frame that is streamed. Every frame ends in one with Last set,
// which is empty when nothing was left of the body. It is pooled and counted as Frame is; a literal works too.
type ContentSubframe struct {
	Data buffer.Slice // one reference of it belongs to the subframe
	Last bool         // the frame ends here

	refs buffer.Refs
}

var (
	_ buffer.Counted = (*HeadersSubframe)(nil)
	_ buffer.Counted = (*ContentSubframe)(nil)
)

// heads and contents keep released subframes.
var (
	heads    = sync.Pool{New: func() any { return &HeadersSubframe{own: make(Headers, 0, 8)} }}
	contents = sync.Pool{New: func() any { return new(ContentSubframe) }}
)

// NewHeaders returns a pooled HeadersSubframe with one reference, as NewFrame does. Safe for concurrent use.
func NewHeaders(command Command, namesAndValues ...string) *HeadersSubframe {
	if len(namesAndValues)%2 != 0 {
		panic("stomp: NewHeaders: a header name without a value") //nolint:forbidigo // misuse by the program
	}
	h := heads.Get().(*HeadersSubframe)
	h.refs.Revive()
	h.Command = command
	h.Headers = room(&h.own, len(namesAndValues)/2)
	for i := 0; i < len(namesAndValues); i += 2 {
		h.Headers = append(h.Headers, Header{namesAndValues[i], namesAndValues[i+1]})
	}
	return h
}

// NewContent returns a pooled ContentSubframe with one reference. It takes the reference of data. Safe for
// concurrent use.
func NewContent(data buffer.Slice, last bool) *ContentSubframe {
	c := contents.Get().(*ContentSubframe)
	c.refs.Revive()
	c.Data, c.Last = data, last
	return c
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (h *HeadersSubframe) Retain() { h.refs.Retain("stomp: headers subframe") }

// Release drops one reference; the last one makes the subframe ready for reuse. Safe for concurrent use.
func (h *HeadersSubframe) Release() {
	if !h.refs.Drop("stomp: headers subframe") {
		return
	}
	h.drop()
	h.own = reclaim(h.own, h.Headers)
	h.Command, h.Headers = "", nil
	h.refs.Recycle(&heads, h)
}

// Detach makes all header strings the program's own, as Frame.Detach does.
func (h *HeadersSubframe) Detach() { h.Headers = h.Headers.Own() }

// String describes h for logs, without its headers.
func (h *HeadersSubframe) String() string {
	return fmt.Sprintf("%s (%d headers, ...)", h.Command, len(h.Headers))
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (c *ContentSubframe) Retain() { c.refs.Retain("stomp: content subframe") }

// Release drops one reference; the last one releases the data. Safe for concurrent use.
func (c *ContentSubframe) Release() {
	if !c.refs.Drop("stomp: content subframe") {
		return
	}
	c.Data.Release()
	c.Data, c.Last = buffer.Slice{}, false
	c.refs.Recycle(&contents, c)
}

// String describes c for logs, without its data.
func (c *ContentSubframe) String() string {
	if c.Last {
		return fmt.Sprintf("content (%d B, last)", c.Data.Len())
	}
	return fmt.Sprintf("content (%d B)", c.Data.Len())
}

// EOL is a line end between frames: what a heart-beat is on the wire. Encoders write it as LF, and as nothing
// while a streamed frame is unfinished, whose octets show life themselves.
type EOL struct{}

// eol is what a Decoder emits; it holds nothing.
var eol = &EOL{}
