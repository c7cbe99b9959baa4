package websocket

import (
	"reflect"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Decoder turns the octets of one direction of a connection into messages: *Message, *Ping, *Pong and *Close, or with
// Stream *Piece in the place of *Message. It is incremental and linear: payload is taken as it comes, and text that
// can't be UTF-8 is refused with the octet that makes it so. Set its fields before the first Decode; the zero value
// decodes what clients send, with the default limits and without compression. Call it on the event loop only, and do
// not copy it once used. RFC 6455, 5; RFC 7692, 6.
type Decoder struct {
	codec.Unshared
	// Client decodes what servers send. false: what clients send, which is masked.
	Client bool
	// Limits bound what a peer can make it hold; zero fields are the defaults.
	Limits Limits
	// Stream emits *Piece as octets arrive, also from compressed messages, once these are complete. false: *Message.
	Stream bool
	// AllowNonMinimal accepts lengths in more octets than they need; default 1002. RFC 6455, 5.2.
	AllowNonMinimal bool
	// Deflate is permessage-deflate as it was negotiated. nil: it was not.
	Deflate *Deflate

	limits Limits // filled
	phase  phase
	head   header
	left   uint64 // octets of the frame's payload that are to come
	msg    incoming
	window []byte // the end of the messages that were inflated, as far as the peer may refer to it
}

// phase is where the next octet belongs.
type phase uint8

const (
	phaseHead    phase = iota // of a frame; it stays in the buffer until it is complete
	phaseData                 // payload of a message
	phaseControl              // payload of a control frame; it stays in the buffer until it is complete
	phaseOver                 // behind a Close frame or an error: dropped
)

var (
	_ codec.Decoder[any]    = (*Decoder)(nil)
	_ codec.EOFDecoder[any] = (*Decoder)(nil)
	_ codec.Backlogged      = (*Decoder)(nil)
	_ codec.Resetter        = (*Decoder)(nil)
	_ codec.AllocatorUser   = (*Decoder)(nil)
	_ codec.Checker         = (*Decoder)(nil)
)

// Check implements codec.Checker.
func (d *Decoder) Check() error { return d.Deflate.check() }

// UseAllocator implements codec.AllocatorUser. Without it memory is that of buffer.Shared.
func (d *Decoder) UseAllocator(a buffer.Allocator) { d.msg.alloc = a }

// Emits lists the messages for Pipeline.Check and Pipeline.String.
func (d *Decoder) Emits() []reflect.Type {
	data := reflect.TypeFor[*Message]()
	if d.Stream {
		data = reflect.TypeFor[*Piece]()
	}
	return []reflect.Type{data, reflect.TypeFor[*Ping](), reflect.TypeFor[*Pong](), reflect.TypeFor[*Close]()}
}

// Decode reads the next message from in. The caller owns m. It may change octets of in, which it has consumed, in place
// when nobody else holds in. An error, always an *Error, ends the stream, as does a Close frame: what follows is dropped
// without another error. Call it on the event loop only.
func (d *Decoder) Decode(in *buffer.Buffer) (m any, ok bool, err error) {
	for {
		if d.phase == phaseHead {
			if d.Backlog() {
				return d.msg.next(), true, nil
			}
			var complete bool
			if complete, err = d.readHead(in); err != nil {
				break
			}
			if !complete {
				return nil, false, nil
			}
		}
		var again bool
		switch d.phase {
		case phaseData:
			m, again, err = d.readData(in)
		case phaseControl:
			m, err = d.readControl(in)
		default:
			in.Skip(in.Len())
		}
		if err != nil {
			break
		}
		if m != nil || !again {
			return m, m != nil, nil
		}
	}
	d.end(in)
	return nil, false, err
}

// Backlog reports whether pieces of a message that was inflated wait to be taken.
func (d *Decoder) Backlog() bool { return len(d.msg.ready) > 0 }

// DecodeEOF is Decode for a stream that has ended: behind the last message it reports the end of the connection inside a
// frame or inside a fragmented message. That it ended without a Close frame is not its business.
func (d *Decoder) DecodeEOF(in *buffer.Buffer) (m any, ok bool, err error) {
	m, ok, err = d.Decode(in)
	if ok || err != nil || d.phase == phaseOver {
		return m, ok, err
	}
	if d.phase != phaseHead || in.Len() > 0 || d.msg.open {
		err = truncated()
	}
	d.end(in)
	return nil, false, err
}

// end drops everything: no octet of this stream is looked at again.
func (d *Decoder) end(in *buffer.Buffer) {
	d.Reset()
	d.phase = phaseOver
	in.Skip(in.Len())
}

// Reset drops what the decoder holds and makes it ready for another connection with the same settings. A decoder that
// is taken out of use in the middle of a stream must be reset.
func (d *Decoder) Reset() {
	d.msg.drop()
	d.window = nil
	d.phase = phaseHead
}

// readControl takes a control frame when all of it is there. RFC 6455, 5.5.
func (d *Decoder) readControl(in *buffer.Buffer) (any, error) {
	n := int(d.left)
	if in.Len() < n {
		return nil, nil
	}
	d.phase = phaseHead
	var octets [maxControlBytes]byte
	p := octets[:n]
	d.head.key.apply(p, in.Next(n))
	if d.head.op == opPing {
		return newPing(p), nil
	}
	if d.head.op == opPong {
		return newPong(p), nil
	}
	c, err := closeOf(p)
	if err != nil {
		return nil, err
	}
	d.end(in)
	return c, nil
}
