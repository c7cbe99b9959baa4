package stomp

import (
	"fmt"

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

	// WrapFrame, WrapHeaders and WrapContent turn the octets of a message into the message that travels on, a
	// WebSocket message for example; they see what was encoded and so can choose by its headers. encoded is
	// a *buffer.Buffer or *buffer.Composite whose reference they take, also when they fail; m is only lent.
	// nil: the octets travel on as they are.
	WrapFrame   func(m *Frame, encoded any) (any, error)
	WrapHeaders func(m *HeadersSubframe, encoded any) (any, error)
	WrapContent func(m *ContentSubframe, encoded any) (any, error)

	stream stream // the streamed frame that is unfinished
	sized  *Frame // what Size was asked for last
	size   int    // what it answered: a hint, as the frame may have changed since

	alloc buffer.Allocator // for EncodeMessage
	out   buffer.Writer
}

// Accepts reports whether m is a message for Encode: *Frame, *HeadersSubframe, *ContentSubframe or *EOL.
func (e *Encoder) Accepts(m any) bool {
	switch m.(type) {
	case *Frame, *ContentSubframe, *HeadersSubframe, *EOL:
		return true
	}
	return false
}

// Size returns exactly how many octets Encode writes into out's own memory; a body that travels by reference
// is not counted. It is 0 when Encode would refuse m.
func (e *Encoder) Size(m any) int {
	switch m := m.(type) {
	case *Frame:
		n, err := e.frameSize(m)
		if err != nil {
			return 0
		}
		e.sized, e.size = m, n
		return n
	case *ContentSubframe:
		if e.stream.check(m) != nil {
			return 0
		}
		return m.ownSize()
	case *HeadersSubframe:
		n, _, err := e.headersSize(m)
		if err != nil {
			return 0
		}
		return n
	case *EOL:
		if !e.stream.open {
			return 1
		}
	}
	return 0
}

// Encode appends the octets of m to out, or returns an error, an *Error if m is one of its messages, and has
// written nothing. It does not keep m; what travels by reference has references of its own.
func (e *Encoder) Encode(out *buffer.Writer, m any) error {
	switch m := m.(type) {
	case *Frame:
		return e.encodeFrame(out, m)
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

// Wrap passes the octets of m, which the writer gave, through the hook for m's type. It takes encoded, also
// when it fails. The driver calls it between Encode and the write.
func (e *Encoder) Wrap(m, encoded any) (any, error) {
	switch m := m.(type) {
	case *Frame:
		if e.WrapFrame != nil {
			return e.WrapFrame(m, encoded)
		}
	case *ContentSubframe:
		if e.WrapContent != nil {
			return e.WrapContent(m, encoded)
		}
	case *HeadersSubframe:
		if e.WrapHeaders != nil {
			return e.WrapHeaders(m, encoded)
		}
	}
	return encoded, nil
}

func (e *Encoder) encodeFrame(out *buffer.Writer, f *Frame) error {
	n, ok := 0, false
	if e.sized == f {
		n, ok = e.putFrame(out.Reserve(e.size), f)
		e.sized = nil
	}
	if !ok { // f is new or has changed since Size
		size, err := e.frameSize(f)
		if err != nil {
			return err
		}
		if n, ok = e.putFrame(out.Reserve(size), f); !ok {
			return &Error{Reason: ErrUnencodable, Command: f.Command}
		}
	}
	out.Commit(n)
	if f.Body.n >= refThreshold {
		for i := range f.Body.Parts() {
			appendShared(out, f.Body.slice(i))
		}
		out.AppendByte(0)
	}
	if f.Command == CommandConnected {
		e.State.sent(f.Headers)
	}
	return nil
}

func (e *Encoder) encodeHeaders(out *buffer.Writer, h *HeadersSubframe) error {
	size, s, err := e.headersSize(h)
	if err != nil {
		return err
	}
	dst := out.Reserve(size)
	n, _ := putHead(dst, e.State.version(), h.Command, h.Headers)
	if n < 0 || n >= len(dst) {
		return &Error{Reason: ErrUnencodable, Command: h.Command}
	}
	dst[n] = '\n'
	out.Commit(n + 1)
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
	case n >= refThreshold:
		appendShared(out, c.Data)
	case n > 0:
		out.Append(c.Data.Bytes())
	}
	if c.Last {
		out.AppendByte(0)
	}
	return nil
}

// appendShared appends s with a reference of its own.
func appendShared(out *buffer.Writer, s buffer.Slice) {
	s.Retain()
	out.AppendSlice(s)
}
