package stomp

import (
	"fmt"
	"strconv"

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

	open bool   // a streamed frame is unfinished
	flow stream // what it still may hold
}

// refThreshold is from how many octets on a body travels by reference: below it a copy is cheaper than two
// more pieces for the kernel, and leaves one buffer to queue.
const refThreshold = 1 << 10

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
		p, err := e.planFrame(m)
		if err != nil {
			return 0
		}
		return p.head + p.own + 1
	case *ContentSubframe:
		if e.checkContent(m) != nil {
			return 0
		}
		return ownSize(m)
	case *HeadersSubframe:
		p, err := e.planHeaders(m)
		if err != nil {
			return 0
		}
		return p.head
	case *EOL:
		if !e.open {
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
		if !e.open {
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
	p, err := e.planFrame(f)
	if err != nil {
		return err
	}
	if p.own == p.body { // all in one run
		n := p.head + p.own + 1
		dst := out.Reserve(n)
		at := p.write(dst, f.Command, f.Headers)
		for i := range f.Body.Parts() {
			at += copy(dst[at:], f.Body.Part(i))
		}
		dst[at] = 0
		out.Commit(n)
	} else {
		p.write(out.Reserve(p.head), f.Command, f.Headers)
		out.Commit(p.head)
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
	p, err := e.planHeaders(h)
	if err != nil {
		return err
	}
	p.write(out.Reserve(p.head), h.Command, h.Headers)
	out.Commit(p.head)
	e.open, e.flow = true, p.flow
	if h.Command == CommandConnected {
		e.State.sent(h.Headers)
	}
	return nil
}

func (e *Encoder) encodeContent(out *buffer.Writer, c *ContentSubframe) error {
	if err := e.checkContent(c); err != nil {
		return err
	}
	e.flow.take(c.Data.Len())
	if c.Data.Len() > 0 && ownSize(c) >= c.Data.Len() {
		out.Append(c.Data.Bytes())
	} else {
		appendShared(out, c.Data)
	}
	if c.Last {
		out.AppendByte(0)
		e.open = false
	}
	return nil
}

// appendShared appends s with a reference of its own.
func appendShared(out *buffer.Writer, s buffer.Slice) {
	s.Retain()
	out.AppendSlice(s)
}

// ownSize returns how many octets of c are written into the writer's memory.
func ownSize(c *ContentSubframe) int {
	n := 0
	if c.Data.Len() < refThreshold {
		n = c.Data.Len()
	}
	if c.Last {
		n++
	}
	return n
}

// write fills dst, which is p.head octets long or longer, with command and headers and returns their length.
func (p *plan) write(dst []byte, c Command, headers Headers) int {
	at := copy(dst, c)
	dst[at] = '\n'
	at++
	for i := range headers {
		h := &headers[i]
		if p.raw {
			at += copy(dst[at:], h.Name)
			dst[at] = ':'
			at++
			at += copy(dst[at:], h.Value)
		} else {
			at += p.escapes.escape(dst[at:], h.Name)
			dst[at] = ':'
			at++
			at += p.escapes.escape(dst[at:], h.Value)
		}
		dst[at] = '\n'
		at++
	}
	if p.length {
		at += copy(dst[at:], HeaderContentLength)
		dst[at] = ':'
		at++
		at = len(strconv.AppendInt(dst[:at], int64(p.body), 10))
		dst[at] = '\n'
		at++
	}
	dst[at] = '\n'
	return at + 1
}
