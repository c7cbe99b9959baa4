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
	draft  draft  // of the message that Size was asked for last

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

// Size returns exactly how many octets Encode writes into out's own memory; a body that travels by reference
// is not counted. It is 0 when Encode would refuse m.
func (e *Encoder) Size(m any) int {
	switch m := m.(type) {
	case *Frame:
		if p, err := e.planFrame(m); err == nil {
			return p.size
		}
	case *Delivery:
		if _, size, err := e.planDelivery(m); err == nil {
			return size
		}
	case *ContentSubframe:
		if e.stream.check(m) == nil {
			return m.ownSize()
		}
	case *HeadersSubframe:
		if _, err := e.planHeaders(m); err == nil {
			return len(e.draft.octets) + 1
		}
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
		err := e.encodeFrame(out, m)
		e.draft.forget()
		return err
	case *Delivery:
		return e.encodeDelivery(out, m)
	case *ContentSubframe:
		return e.encodeContent(out, m)
	case *HeadersSubframe:
		err := e.encodeHeaders(out, m)
		e.draft.forget()
		return err
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
	case *Delivery:
		if e.WrapFrame != nil {
			return e.WrapFrame(m.Tail.Frame(), encoded)
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
	p, err := e.planFrame(f)
	if err != nil {
		return err
	}
	small := f.Body.n < refThreshold
	dst := out.Reserve(p.size)
	n := copy(dst, e.draft.octets)
	if p.length {
		n = putLength(dst, n, f.Body.n)
	}
	n += copy(dst[n:], "\n")
	for i := 0; small && i < f.Body.Parts(); i++ {
		n += copy(dst[n:], f.Body.Part(i))
	}
	if small {
		n += copy(dst[n:], "\x00")
	}
	out.Commit(n)
	if !small {
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
	s, err := e.planHeaders(h)
	if err != nil {
		return err
	}
	out.Append(e.draft.octets)
	out.AppendByte('\n')
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
