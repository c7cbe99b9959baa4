package websocket

import (
	"fmt"
	"reflect"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Encoder turns messages into octets: *Message, *Prepared, *Piece, *Close, *Ping and *Pong. It refuses what would break
// the stream and writes nothing then. Large payloads of servers travel by reference; those of clients are masked into
// memory of their own. Set its fields before the first Encode; the zero value encodes what servers send. Call it on the
// event loop only, and do not copy it once used. RFC 6455, 5; RFC 7692, 7.2.1.
type Encoder struct {
	// Client masks frames, each with a key that the peer can't foresee. false: frames of a server. RFC 6455, 5.3.
	Client bool
	// MaxFrame is the most payload octets of a frame; longer messages go out in fragments. 0 = 1 MiB, which is what a
	// Decoder takes by default.
	MaxFrame int
	// TrustText sends text messages without looking whether they are UTF-8; then the program is responsible. false:
	// others are refused.
	TrustText bool
	// Deflate is permessage-deflate as it was negotiated. nil: it was not.
	Deflate *Deflate

	alloc  buffer.Allocator
	packer *packer  // with what messages may refer to; nil: with nothing
	packed uint64   // messages that were compressed
	wrote  uint64   // messages that were encoded
	pieces sequence // of the message that is being sent in pieces
	before sequence // the same before the last Encode
}

// sequence is how far a message in pieces has come.
type sequence struct {
	open bool
	kind Type
	text utf8Check
}

var (
	_ codec.Encoder[any]  = (*Encoder)(nil)
	_ codec.Accepter      = (*Encoder)(nil)
	_ codec.Resetter      = (*Encoder)(nil)
	_ codec.AllocatorUser = (*Encoder)(nil)
	_ codec.Checker       = (*Encoder)(nil)
)

// Check implements codec.Checker.
func (e *Encoder) Check() error { return e.Deflate.check() }

// UseAllocator implements codec.AllocatorUser. Without it memory is that of buffer.Shared.
func (e *Encoder) UseAllocator(a buffer.Allocator) { e.alloc = a }

// Accepts reports whether msg is a message for Encode.
func (e *Encoder) Accepts(msg any) bool {
	switch msg.(type) {
	case *Message, *Prepared, *Piece, *Ping, *Pong, *Close:
		return true
	}
	return false
}

// Takes lists the messages for Pipeline.Check.
func (e *Encoder) Takes() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[*Message](), reflect.TypeFor[*Prepared](), reflect.TypeFor[*Piece](),
		reflect.TypeFor[*Ping](), reflect.TypeFor[*Pong](), reflect.TypeFor[*Close](),
	}
}

// Size returns about how many octets Encode writes into out's own memory.
func (e *Encoder) Size(msg any) int {
	switch m := msg.(type) {
	case *Message:
		if e.compresses(m.n) {
			return maxHeader + copyMax
		}
		return e.frameSize(m)
	case *Piece:
		if n := m.Len(); n <= copyMax || e.Client {
			return maxHeader + min(n, maskedChunk)
		}
	case *Prepared:
		if e.Client {
			return e.frameSize(m.msg)
		}
	}
	return maxHeader + maxControlBytes
}

// frameSize is Size for the frame of m as it is.
func (e *Encoder) frameSize(m *Message) int {
	n := maxHeader
	if e.Client {
		return n + min(m.n, maskedChunk)
	}
	for i := range m.Parts() {
		if part := len(m.Part(i)); part <= copyMax {
			n += part
		}
	}
	return n
}

// Encode appends the frames of msg to out, or returns an error and has written nothing. It does not keep msg; what
// travels by reference has references of its own.
func (e *Encoder) Encode(out *buffer.Writer, msg any) error {
	before := e.pieces
	if err := e.encode(out, msg); err != nil {
		return err
	}
	e.before = before
	e.wrote++
	return nil
}

func (e *Encoder) encode(out *buffer.Writer, msg any) error {
	switch m := msg.(type) {
	case *Message:
		return e.message(out, m)
	case *Prepared:
		return e.prepared(out, m)
	case *Piece:
		return e.piece(out, m)
	case *Ping:
		return e.control(out, opPing, m.Data)
	case *Pong:
		return e.control(out, opPong, m.Data)
	case *Close:
		return e.close(out, m)
	}
	return fmt.Errorf("websocket: cannot encode %T", msg)
}

// compresses reports whether a message of n octets is compressed.
func (e *Encoder) compresses(n int) bool { return e.Deflate != nil && n >= e.Deflate.minBytes() }

// Forget drops what messages could refer to, and the memory for that: the next one is compressed without, which is
// always allowed. A Session calls it when a connection is idle. Call it on the event loop only.
func (e *Encoder) Forget() {
	if e.packer != nil {
		e.packer.giveBack()
		e.packer = nil
	}
}

// Undo says that what the last Encode wrote was not sent: a Piece may be sent again, and messages do not refer to what the
// peer never got. A Session calls it when a write is refused. Call it on the event loop only.
func (e *Encoder) Undo() {
	e.pieces = e.before
	e.Forget()
}

// depends reports whether the peer can't do without msg to read what follows.
func (e *Encoder) depends(msg any) bool {
	_, piece := msg.(*Piece)
	return piece || e.Deflate != nil && e.Deflate.takeover(e.Client)
}

// Reset drops what the encoder holds and makes it ready for another connection with the same settings.
func (e *Encoder) Reset() {
	e.Forget()
	e.pieces, e.before = sequence{}, sequence{}
}
