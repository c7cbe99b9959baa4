package websocket

import (
	"fmt"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// maskedChunk is how much of a client's payload is masked into one buffer.
const maskedChunk = 64 << 10

// message encodes a whole message.
func (e *Encoder) message(out *buffer.Writer, m *Message) error {
	if e.pieces.open {
		return ErrOrder
	}
	if err := e.check(m); err != nil {
		return err
	}
	if e.compresses(m.n) {
		done, err := e.compressed(out, m)
		if done || err != nil {
			return err
		}
	}
	e.frames(out, m, false)
	return nil
}

// check says what is wrong with a message that is to be sent.
func (e *Encoder) check(m *Message) error {
	if !m.Type.valid() {
		return ErrType
	}
	if e.TrustText || m.valid || m.Type == TypeBinary {
		return nil
	}
	return checkText(m)
}

// checkText says whether the payload of m is not UTF-8.
func checkText(m *Message) error {
	var c utf8Check
	for i := range m.Parts() {
		if !c.write(m.Part(i)) {
			return ErrText
		}
	}
	if !c.whole() {
		return ErrText
	}
	return nil
}

// compressed encodes m compressed. done is false when that does not make it smaller; then nothing was written.
func (e *Encoder) compressed(out *buffer.Writer, m *Message) (done bool, err error) {
	p := e.packer
	if p == nil {
		if p, err = newPacker(e.Deflate.windowBits(e.Client), e.Deflate.level()); err != nil {
			return false, fmt.Errorf("websocket: compressing: %w", err)
		}
		p.alloc = e.alloc
	}
	e.packer = p
	e.packed++
	packed, err := p.pack(m)
	if err != nil {
		e.packer = nil // whatever has become of it
		return false, fmt.Errorf("websocket: compressing: %w", err)
	}
	if packed.n < m.n {
		e.frames(out, packed, true)
		done = true
	}
	packed.Release()
	if !done || !e.Deflate.takeover(e.Client) { // what the peer does not inflate it does not know
		e.Forget()
	}
	return done, nil
}

// frames encodes the payload of m in as many frames as it takes.
func (e *Encoder) frames(out *buffer.Writer, m *Message, compressed bool) {
	h := header{op: opcode(m.Type), fin: true, rsv1: compressed}
	most := orDefault(e.MaxFrame, DefaultFrame)
	if m.n <= most {
		e.frame(out, h, m)
		return
	}
	rest := m.Composite()
	for rest.Len() > 0 {
		part := NewMessage(m.Type)
		part.AppendComposite(rest.Split(min(most, rest.Len())))
		h.fin = rest.Len() == 0
		e.frame(out, h, part)
		part.Release()
		h.op, h.rsv1 = opContinuation, false
	}
	rest.Release()
}

// frame encodes one frame with the payload of m.
func (e *Encoder) frame(out *buffer.Writer, h header, m *Message) {
	h.length = uint64(m.n)
	e.head(out, &h)
	switch {
	case m.n == 0:
	case e.Client:
		e.masked(out, h.key, m)
	case m.rope != nil:
		m.rope.Retain()
		out.AppendComposite(m.rope)
	default:
		m.data.Retain()
		out.AppendRef(m.data)
	}
}

// head encodes the head of a frame, with a new key when it is a client's.
func (e *Encoder) head(out *buffer.Writer, h *header) {
	if e.Client {
		h.masked, h.key = true, newMask()
	}
	out.Commit(h.put(out.Reserve(h.size())))
}

// masked encodes the payload of m under key.
func (e *Encoder) masked(out *buffer.Writer, key mask, m *Message) {
	if m.n <= maskedChunk {
		dst := out.Reserve(m.n)
		at := 0
		for i := range m.Parts() {
			p := m.Part(i)
			key = key.apply(dst[at:], p)
			at += len(p)
		}
		out.Commit(m.n)
		return
	}
	left := m.n
	var b *buffer.Buffer
	for i := range m.Parts() {
		for p := m.Part(i); len(p) > 0; {
			if b == nil {
				b = e.get(min(left, maskedChunk))
			}
			n := min(len(p), b.Room())
			key = key.apply(b.Reserve(n), p[:n])
			b.Commit(n)
			p = p[n:]
			left -= n
			if b.Room() == 0 || left == 0 {
				out.AppendRef(b)
				b = nil
			}
		}
	}
}

func (e *Encoder) get(n int) *buffer.Buffer {
	if e.alloc == nil {
		return buffer.Get(n)
	}
	return e.alloc.Get(n)
}
