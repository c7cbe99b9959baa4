package stomp

import (
	"fmt"
	"math"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// LengthRule says when an Encoder adds a content-length header to a frame that has none.
type LengthRule uint8

// The rules. STOMP 1.2, "Header content-length": SEND, MESSAGE and ERROR frames SHOULD have one if they have a
// body, and MUST if the body holds a NUL. Only these three have bodies.
const (
	LengthAlways LengthRule = iota // to every body
	LengthNeeded                   // only to bodies that hold a NUL
)

// Encoder turns frames and subframes into octets, escaped as the version in force demands, CONNECT, STOMP and
// CONNECTED never. It refuses what the peer would read as something else, and then writes nothing. The zero
// value encodes as before CONNECTED. Call it on the event loop only; like its Decoder it belongs to one
// connection.
type Encoder struct {
	// State has the version in force and is shared with the connection's Decoder. nil: nothing is negotiated.
	State *State
	// Length says which bodies get a content-length header. 0 = LengthAlways.
	Length LengthRule

	// CopyBelow says which bodies are copied: those of fewer octets stand right behind the head in the one buffer that
	// the frame becomes, others travel by reference in pieces of more than 256 octets. It holds for frames and
	// contents; a Tail goes by the default. 0 = 1 KiB.
	CopyBelow int

	// WrapFrame, WrapHeaders, WrapContent and WrapEOL turn the octets of a message into the message that travels on, a
	// WebSocket message for example; they see what was encoded and so can choose by its headers. encoded is all of
	// it as one value, however long the body, a *buffer.Buffer or *buffer.Composite whose reference they take, also
	// when they fail. m is only lent: for a Delivery it is Tail.Frame, which has the shared headers and the body.
	// nil: the octets travel on as they are.
	WrapFrame   func(m *Frame, encoded any) (any, error)
	WrapHeaders func(m *HeadersSubframe, encoded any) (any, error)
	WrapContent func(m *ContentSubframe, encoded any) (any, error)
	WrapEOL     func(encoded any) (any, error)

	stream stream // the streamed frame that is unfinished

	alloc buffer.Allocator // for EncodeMessage
	out   buffer.Writer
}

// Accepts reports whether m is a message for Encode: *Frame, *Delivery, *HeadersSubframe, *ContentSubframe or
// *EOL.
func (e *Encoder) Accepts(m any) bool {
	switch m.(type) {
	case *Frame, *Delivery, *ContentSubframe, *HeadersSubframe, *EOL:
		return true
	}
	return false
}

// Size returns how many octets of m Encode writes into out's own memory at least: all but escapes and a content-length
// that is added; a body that travels by reference is not counted. Encode looks at every octet before it takes exactly
// the memory that it needs, in one piece.
func (e *Encoder) Size(m any) int {
	switch m := m.(type) {
	case *Frame:
		return len(m.Command) + m.Headers.octets() + len("\n\n\x00") + m.Body.ownSize(e.copyBelow())
	case *Delivery:
		return m.octets()
	case *ContentSubframe:
		return m.ownSize(e.copyBelow())
	case *HeadersSubframe:
		return len(m.Command) + m.Headers.octets() + len("\n\n")
	case *EOL:
		return 1
	}
	return 0
}

// Encode appends the octets of m to out, or returns an error, an *Error if m is one of its messages, and has
// written nothing. It does not keep m; what travels by reference has references of its own.
func (e *Encoder) Encode(out *buffer.Writer, m any) error {
	switch m := m.(type) {
	case *Frame:
		return e.encodeFrame(out, m)
	case *Delivery:
		return e.encodeDelivery(out, m)
	case *ContentSubframe:
		return e.encodeContent(out, m)
	case *HeadersSubframe:
		return e.encodeHeaders(out, m)
	case *EOL:
		if !e.stream.open {
			out.AppendByte('\n')
		}
		return nil
	}
	return fmt.Errorf("stomp: cannot encode %T", m)
}

// copyBelow is CopyBelow or its default.
func (e *Encoder) copyBelow() int {
	if e.CopyBelow > 0 {
		return e.CopyBelow
	}
	return refThreshold
}

func (e *Encoder) encodeFrame(out *buffer.Writer, f *Frame) error {
	copyBelow := e.copyBelow()
	r := rulesFor(e.State.version(), f.Command)
	m, err := e.measureFrame(r, f, copyBelow)
	if err != nil {
		return err
	}
	out.Commit(m.putFrame(out.Reserve(m.size), r, f, copyBelow))
	if f.Body.n >= copyBelow {
		appendBody(out, &f.Body)
		out.AppendByte(0)
	}
	if f.Command == CommandConnected {
		e.State.sent(f.Headers)
	}
	return nil
}

// AppendFrame appends the octets of f to dst, in plain memory and with the body copied, and returns the result. When dst
// has no room it takes exactly as much memory as is needed. It refuses what Encode refuses, and then returns dst
// as it was.
func (e *Encoder) AppendFrame(dst []byte, f *Frame) ([]byte, error) {
	r := rulesFor(e.State.version(), f.Command)
	m, err := e.measureFrame(r, f, math.MaxInt)
	if err != nil {
		return dst, err
	}
	n := len(dst)
	if m.size > cap(dst)-n {
		dst = append(make([]byte, 0, n+m.size), dst...)
	}
	dst = dst[:n+m.size]
	m.putFrame(dst[n:], r, f, math.MaxInt)
	if f.Command == CommandConnected {
		e.State.sent(f.Headers)
	}
	return dst, nil
}

func (e *Encoder) encodeHeaders(out *buffer.Writer, h *HeadersSubframe) error {
	r := rulesFor(e.State.version(), h.Command)
	m, s, err := e.measureHeaders(r, h)
	if err != nil {
		return err
	}
	dst := out.Reserve(m.size)
	dst[m.putHead(dst, r, h.Command, h.Headers)] = '\n'
	out.Commit(m.size)
	e.stream = s
	if h.Command == CommandConnected {
		e.State.sent(h.Headers)
	}
	return nil
}

func (e *Encoder) encodeContent(out *buffer.Writer, c *ContentSubframe) error {
	if err := e.stream.check(c); err != nil {
		return err
	}
	e.stream.take(c)
	switch n := c.Data.Len(); {
	case n >= e.copyBelow():
		appendShared(out, c.Data)
	case n > 0:
		out.Append(c.Data.Bytes())
	}
	if c.Last {
		out.AppendByte(0)
	}
	return nil
}

// appendBody appends b with references of its own.
func appendBody(out *buffer.Writer, b *Body) {
	if b.small != nil {
		out.Append(b.small)
		return
	}
	for i := range b.Parts() {
		appendShared(out, b.slice(i))
	}
}

// appendShared appends s with a reference of its own.
func appendShared(out *buffer.Writer, s buffer.Slice) {
	s.Retain()
	out.AppendSlice(s)
}
