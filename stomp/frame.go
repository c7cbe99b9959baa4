package stomp

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Frame is a whole STOMP frame. It holds its body by reference and is counted like a buffer: whoever receives
// it owns one reference and must pass it on, keep it, or release it, exactly once. A literal works and has
// one reference too.
//
// The header strings of a decoded frame are views of memory that the frame holds: they are valid until its release,
// as its Headers slice and Body are, and then change without a warning. Whoever keeps one for longer, in a map, a
// subscription or another frame that is sent later, takes strings.Clone of it; Detach does so for all of them. Strings
// that a program put into a frame itself stay what they are.
//
// Retain and Release are safe for concurrent use; fields belong to one goroutine at a time and are read-only
// once the frame is shared.
type Frame struct {
	Command Command
	Headers Headers
	Body    Body

	refs buffer.Refs
	own  Headers // memory for Headers that stays with a pooled frame
	textStore
}

var _ buffer.Counted = (*Frame)(nil)

// maxKept is up to how many entries the lists of a pooled message are kept for its next life.
const maxKept = 32

// frames keeps released frames with their header lists.
var frames = sync.Pool{New: func() any { return &Frame{own: make(Headers, 0, 8)} }}

// NewFrame returns a pooled frame with one reference, no body, and headers from names and values in turn. An
// odd number of them is a mistake in the program and panics. Safe for concurrent use. The caller must release
// the frame or pass it on.
func NewFrame(command Command, namesAndValues ...string) *Frame {
	if len(namesAndValues)%2 != 0 {
		panic("stomp: NewFrame: a header name without a value") //nolint:forbidigo // misuse by the program
	}
	f := frames.Get().(*Frame)
	f.refs.Revive()
	f.Command = command
	f.Headers = room(&f.own, len(namesAndValues)/2)
	for i := 0; i < len(namesAndValues); i += 2 {
		f.Headers = append(f.Headers, Header{namesAndValues[i], namesAndValues[i+1]})
	}
	return f
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (f *Frame) Retain() { f.refs.Retain("stomp: frame") }

// Release drops one reference. The last one releases the body and makes the frame ready for reuse; one too
// many panics. Safe for concurrent use.
func (f *Frame) Release() {
	if !f.refs.Drop("stomp: frame") {
		return
	}
	f.Body.Reset()
	f.drop()
	f.own = reclaim(f.own, f.Headers)
	f.Command, f.Headers = "", nil
	f.refs.Recycle(&frames, f)
}

// Detach makes all header strings the program's own, so that they stay valid after the release of f. It costs two
// allocations. Call it before f is shared; the body stays what it is.
func (f *Frame) Detach() { f.Headers = f.Headers.Own() }

// Clone returns a frame that is independent of f: command and headers can be changed, its strings are valid until
// its own release, and its body is the same octets by reference. The caller must release the clone or pass it on.
func (f *Frame) Clone() *Frame {
	c := NewFrame(f.Command)
	c.Headers = c.copies(room(&c.own, len(f.Headers)), f.Headers)
	c.Body.AppendBody(&f.Body)
	return c
}

// String describes f for logs: command and sizes, never headers or body.
func (f *Frame) String() string {
	return fmt.Sprintf("%s (%d headers, %d B)", f.Command, len(f.Headers), f.Body.Len())
}

// room returns an empty list for n entries that a pooled message keeps for itself. The list that was handed out
// is the one that is emptied at release; a list that the caller put in its place is left alone.
func room(own *Headers, n int) Headers {
	if cap(*own) < n {
		*own = make(Headers, 0, n)
	}
	return (*own)[:0]
}

// reclaim empties the list of a pooled message for its next life, unless it is too large to be kept. used is the list
// that the message had in the end: usually it lies in own.
func reclaim(own, used Headers) Headers {
	switch {
	case cap(own) > maxKept:
		return nil
	case len(used) > 0 && unsafe.SliceData(used) == unsafe.SliceData(own):
		clear(used)
	default:
		clear(own[:cap(own)])
	}
	return own[:0]
}
