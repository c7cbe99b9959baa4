package websocket

import (
	"fmt"
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Prepared is a data message for many connections: its frames are encoded once, as they are and compressed, each when the
// first connection needs them, and then sent by reference. It is counted like a buffer: whoever receives it owns one
// reference; pipeline.Group.Broadcast retains one for each connection. All of it is safe for concurrent use.
//
// Clients mask every frame anew, so for them it is an ordinary message. So it is for connections that agreed on less than
// 15 window bits. On a connection with context takeover what comes behind it is compressed without what came before.
type Prepared struct {
	msg *Message

	lock   sync.Mutex
	plain  *buffer.Buffer // nil: not encoded yet
	packed *buffer.Buffer // compressed; nil: not encoded yet
	larger bool           // compressing does not make it smaller
	refs   buffer.Refs
}

var _ buffer.Counted = (*Prepared)(nil)

// Prepare returns m for many connections. It takes m, also when it fails: with ErrType, or with ErrText when m is text
// and not UTF-8. Safe for concurrent use. The caller must release the result or pass it on.
func Prepare(m *Message) (*Prepared, error) {
	var e Encoder
	if err := e.check(m); err != nil {
		m.Release()
		return nil, err
	}
	return &Prepared{msg: m}, nil
}

// Len returns the octets of the payload.
func (p *Prepared) Len() int { return p.msg.n }

// Retain adds one reference; it needs a Release of its own. Safe for concurrent use.
func (p *Prepared) Retain() { p.refs.Retain("websocket: prepared message") }

// Release drops one reference. The last one releases payload and frames; one too many panics. Safe for concurrent use.
func (p *Prepared) Release() {
	if !p.refs.Drop("websocket: prepared message") {
		return
	}
	p.msg.Release()
	for _, b := range [...]*buffer.Buffer{p.plain, p.packed} {
		if b != nil {
			b.Release()
		}
	}
}

// String describes p for logs: type and length, never the payload.
func (p *Prepared) String() string { return fmt.Sprintf("prepared %s", p.msg) }

// frames returns the message as a server sends it, encoded when that was not done yet, and whether it is compressed. The
// caller must Release b.
func (p *Prepared) frames(compress bool) (b *buffer.Buffer, compressed bool, err error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if compress && p.packed == nil && !p.larger {
		if err := p.pack(); err != nil {
			return nil, false, err
		}
	}
	if compress && !p.larger {
		p.packed.Retain()
		return p.packed, true, nil
	}
	if p.plain == nil {
		p.plain = encodeFlat(p.msg, false)
	}
	p.plain.Retain()
	return p.plain, false, nil
}

// pack encodes the message compressed, or notes that this makes it no smaller.
func (p *Prepared) pack() error {
	k, err := newPacker(mostWindowBits, 1)
	if err != nil {
		return err
	}
	packed, err := k.pack(p.msg)
	if err != nil {
		return err
	}
	k.giveBack()
	if packed.n < p.msg.n {
		p.packed = encodeFlat(packed, true)
	} else {
		p.larger = true
	}
	packed.Release()
	return nil
}

// encodeFlat returns the frames of m in one piece, in memory of the shared pool.
func encodeFlat(m *Message, compressed bool) *buffer.Buffer {
	var e Encoder
	var out buffer.Writer
	out.Reset(nil, maxHeader)
	e.frames(&out, m, compressed)
	switch frames := out.Take().(type) {
	case *buffer.Composite:
		flat := buffer.Get(frames.Len())
		for i := range frames.Parts() {
			flat.Append(frames.Part(i))
		}
		frames.Release()
		return flat
	case *buffer.Buffer:
		return frames
	}
	return nil
}

// prepared encodes p by reference where that is possible.
func (e *Encoder) prepared(out *buffer.Writer, p *Prepared) error {
	compress := e.compresses(p.msg.n)
	if e.Client || p.msg.n > orDefault(e.MaxFrame, DefaultFrame) || compress && e.Deflate.windowBits(e.Client) < mostWindowBits {
		return e.message(out, p.msg)
	}
	if e.pieces.open {
		return ErrOrder
	}
	b, compressed, err := p.frames(compress)
	if err != nil {
		return fmt.Errorf("websocket: compressing: %w", err)
	}
	if compressed {
		e.Forget() // the peer's window moves on by what ours does not know
	}
	out.AppendRef(b)
	return nil
}
