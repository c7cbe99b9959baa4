package stomp

import (
	"errors"
	"strings"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Decoder turns the octets of one connection into frames. It is incremental and linear: an unfinished head
// stays in the buffer and is resumed inside its line, body octets are consumed as they come. Set its fields
// before the first Decode; Limits may change between frames. The zero value decodes whole frames leniently
// with the default limits, as before CONNECTED. Call it on the event loop only, and do not copy it once used.
type Decoder struct {
	// State has the version in force and is shared with the connection's Encoder. nil: nothing is negotiated.
	State *State
	// Limits bound what one frame may hold; zero fields are the defaults.
	Limits Limits
	// Stream emits *HeadersSubframe and *ContentSubframe as octets arrive. false: *Frame.
	Stream bool
	// Strict refuses, in 1.1 and 1.2, a raw colon in a value (not in CONNECT, STOMP and CONNECTED, which
	// cannot escape) and a body on a frame that must not have one. false: both are accepted as they are.
	Strict bool
	// AllowUnknown accepts any command line. false: ErrUnknownCommand.
	AllowUnknown bool
	// Beats emits *EOL for each run of line ends between frames. false: they are only counted, see EOLs.
	Beats bool

	phase phase
	head  head
	body  assembler
	frame *Frame // whole mode: the frame whose body is awaited

	declared int64 // content-length, or undeclared
	taken    int64 // octets of the body consumed so far
	eols     uint64
	work     uint64 // octets looked at, for the test of linearity
}

// phase is where in a frame the next octet belongs.
type phase uint8

const (
	phaseBetween phase = iota // line ends or a command
	phaseHead                 // command and header lines; they stay in the buffer
	phaseBody                 // octets of the body
	phaseEnd                  // the NUL behind a declared body
	phaseFailed               // everything is dropped
)

// Decode reads the next message from in: a *Frame, or with Stream a *HeadersSubframe or *ContentSubframe, or
// with Beats an *EOL. ok is false when more octets are needed; the octets left in in then come first in the
// next call's buffer. The caller owns m. An error, always an *Error, ends the stream: in is emptied, and later
// octets are dropped without another error. Call it on the event loop only.
func (d *Decoder) Decode(in *buffer.Buffer) (m any, ok bool, err error) {
	for err == nil && m == nil && in.Len() > 0 {
		before := d.phase
		switch d.phase {
		case phaseBetween:
			m, err = d.between(in)
		case phaseHead:
			m, err = d.readHead(in)
		case phaseBody:
			m, err = d.readBody(in)
		case phaseEnd:
			m, err = d.readEnd(in)
		case phaseFailed:
			in.Skip(in.Len())
		}
		if d.phase == before && m == nil {
			break // this phase needs more octets
		}
	}
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Receipt = d.receipt(in.Bytes())
		}
		d.end(in)
		return nil, false, err
	}
	return m, m != nil, nil
}

// receipt returns the receipt header of the frame that is being read, so that the error can be told to its sender.
func (d *Decoder) receipt(b []byte) string {
	switch {
	case d.frame != nil:
		return strings.Clone(d.frame.Headers.Get(HeaderReceipt))
	case d.phase == phaseHead:
		return d.head.find(HeaderReceipt, b)
	}
	return ""
}

// end drops everything: no octet of this stream is looked at again.
func (d *Decoder) end(in *buffer.Buffer) {
	d.Reset()
	d.phase = phaseFailed
	in.Skip(in.Len())
}

// DecodeEOF is Decode for a stream that has ended: behind the last message it reports ErrTruncated when the
// end came inside a frame. Afterwards the decoder holds nothing.
func (d *Decoder) DecodeEOF(in *buffer.Buffer) (m any, ok bool, err error) {
	m, ok, err = d.Decode(in)
	if ok || err != nil || d.phase == phaseFailed {
		return m, ok, err
	}
	if d.phase != phaseBetween || in.Len() > 0 {
		err = &Error{Reason: ErrTruncated, Command: d.head.command}
	}
	d.end(in)
	return nil, false, err
}

// Reset drops what the decoder holds of an unfinished frame and makes it ready for another stream. Counters
// and fields stay. A decoder that is taken out of use in the middle of a stream must be reset.
func (d *Decoder) Reset() {
	if d.frame != nil {
		d.frame.Release()
		d.frame = nil
	}
	d.body.reset()
	d.head.reset()
	d.phase = phaseBetween
}

// EOLs returns how many line ends have come between frames. Any octet is a sign of life, and these are the
// ones that no message stands for.
func (d *Decoder) EOLs() uint64 { return d.eols }

// Between reports whether the last octet that was decoded ended a frame, or a line end behind one.
func (d *Decoder) Between() bool { return d.phase == phaseBetween }

// between skips and counts the line ends in front of a command. CR LF is one under every version: nothing
// else can be meant by it here.
func (d *Decoder) between(in *buffer.Buffer) (any, error) {
	b := in.Bytes()
	i := 0
	for i < len(b) {
		if b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n' {
			i++
		}
		if b[i] != '\n' {
			break
		}
		i++
		d.eols++
	}
	d.work += uint64(i)
	in.Skip(i)
	if i < len(b) {
		if b[i] != '\r' {
			d.startHead()
			if i == 0 || !d.Beats {
				return d.readHead(in)
			}
		} else if i+1 < len(b) {
			return nil, &Error{Reason: ErrBadCR, Text: excerpt(b[i:])}
		}
	}
	if i > 0 && d.Beats {
		return eol, nil
	}
	return nil, nil
}

func (d *Decoder) startHead() {
	d.phase = phaseHead
	d.declared, d.taken = undeclared, 0
	d.head.start(d.Limits)
}
