package websocket

import (
	"fmt"
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Piece is a part of a data message that is streamed: inbound as its octets arrive, wherever the network has cut them,
// outbound as a frame of its own. A text may be cut inside a code point. Pieces of one message come in a row, without
// other messages between them. Piece is counted like a buffer: whoever receives it owns one reference and must pass it
// on, keep it, or release it, exactly once. Retain and Release are safe for concurrent use. RFC 6455, 5.4.
type Piece struct {
	Type Type // of the message
	// Data are the octets, nil when there are none. The Piece owns one reference.
	Data *buffer.Buffer
	// First and Last say that a message begins and ends with this piece; both: it is the whole message.
	First, Last bool

	refs buffer.Refs
}

var _ buffer.Counted = (*Piece)(nil)

var pieces = sync.Pool{New: func() any { return new(Piece) }}

// NewPiece returns a pooled piece with one reference. It takes data, which may be nil. Safe for concurrent use. The caller
// must release it or pass it on.
func NewPiece(t Type, data *buffer.Buffer, first, last bool) *Piece {
	p := pieces.Get().(*Piece)
	p.refs.Revive()
	p.Type, p.Data, p.First, p.Last = t, data, first, last
	return p
}

// Len returns the octets of the piece.
func (p *Piece) Len() int {
	if p.Data == nil {
		return 0
	}
	return p.Data.Len()
}

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (p *Piece) Retain() { p.refs.Retain("websocket: piece") }

// Release drops one reference. The last one releases the octets and makes the piece ready for reuse; one too many
// panics. Safe for concurrent use.
func (p *Piece) Release() {
	if !p.refs.Drop("websocket: piece") {
		return
	}
	if p.Data != nil {
		p.Data.Release()
		p.Data = nil
	}
	p.refs.Recycle(&pieces, p)
}

// take gives the octets to the caller, nil when there are none, and releases the piece.
func (p *Piece) take() *buffer.Buffer {
	b := p.Data
	if b != nil && p.refs.Shared() { // somebody else reads it, too
		s := b.Slice(0, b.Len())
		b = s.Buffer()
		s.Release()
	} else {
		p.Data = nil
	}
	p.Release()
	return b
}

// String describes p for logs: type and length, never the octets.
func (p *Piece) String() string {
	return fmt.Sprintf("piece of %d B of a %s message (first %t, last %t)", p.Len(), p.Type, p.First, p.Last)
}
