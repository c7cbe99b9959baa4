package websocket

import "github.com/penstock-go/penstock/pipeline/buffer"

// piece encodes a part of a message as a frame. Pieces are not compressed. RFC 6455, 5.4.
func (e *Encoder) piece(out *buffer.Writer, p *Piece) error {
	if p.First == e.pieces.open {
		return ErrOrder
	}
	next := e.pieces
	h := header{op: opContinuation, fin: p.Last}
	if p.First {
		next = sequence{kind: p.Type}
		h.op = opcode(p.Type)
		if !p.Type.valid() {
			return ErrType
		}
	}
	if next.kind == TypeText && !e.TrustText {
		if p.Data != nil && !next.text.write(p.Data.Bytes()) || p.Last && !next.text.whole() {
			return ErrText
		}
	}
	next.open = !p.Last
	e.pieces = next
	m := NewMessage(next.kind)
	if p.Data != nil {
		p.Data.Retain()
		m.AppendBuffer(p.Data)
	}
	e.frame(out, h, m)
	m.Release()
	return nil
}

// control encodes a Ping or Pong.
func (e *Encoder) control(out *buffer.Writer, op opcode, data []byte) error {
	if len(data) > maxControlBytes {
		return ErrControl
	}
	h := header{op: op, fin: true, length: uint64(len(data))}
	e.head(out, &h)
	h.key.apply(out.Reserve(len(data)), data)
	out.Commit(len(data))
	return nil
}

// close encodes a Close frame.
func (e *Encoder) close(out *buffer.Writer, c *Close) error {
	if err := c.check(); err != nil {
		return err
	}
	var octets [maxControlBytes]byte
	n := 0
	if c.Code != 0 {
		octets[0], octets[1] = byte(c.Code>>8), byte(c.Code)
		n = 2 + copy(octets[2:], c.Reason)
	}
	return e.control(out, opClose, octets[:n])
}
