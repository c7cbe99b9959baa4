package websocket

import "github.com/penstock-go/penstock/pipeline/buffer"

// incoming is the message that is being read.
type incoming struct {
	gather
	kind       Type
	open       bool // its last frame has not ended
	compressed bool
	first      bool // no piece of it was emitted
	fragments  int
	streamed   int // octets that were emitted as pieces
	text       utf8Check
	ready      []*buffer.Buffer // inflated, to be emitted as pieces
	readyAt    int              // those before it are
}

// begin starts a message.
func (m *incoming) begin(kind Type, compressed bool) {
	m.kind, m.compressed = kind, compressed
	m.open, m.first = true, true
	m.fragments, m.streamed = 0, 0
	m.text = utf8Check{}
}

// len returns the octets of the open message so far.
func (m *incoming) len() int {
	if !m.open {
		return 0
	}
	if m.msg == nil {
		return m.streamed
	}
	return m.streamed + m.gather.len()
}

// drop releases everything.
func (m *incoming) drop() {
	m.gather.drop()
	for _, b := range m.ready[m.readyAt:] {
		b.Release()
	}
	m.ready, m.readyAt = nil, 0
	m.open = false
}

// readData takes payload of a data frame. again: the frame has ended without a message.
func (d *Decoder) readData(in *buffer.Buffer) (m any, again bool, err error) {
	n := int(min(uint64(in.Len()), d.left))
	d.left -= uint64(n)
	ended := d.left == 0
	if ended {
		d.phase = phaseHead
	}
	last := ended && d.head.fin
	if d.Stream && !d.msg.compressed {
		m, err = d.readPiece(in, n, last)
		return m, ended, err
	}
	if d.msg.msg == nil {
		d.msg.msg = NewMessage(d.msg.kind)
	}
	if n > 0 && !d.collect(in, n) || last && !d.msg.compressed && !d.msg.text.whole() {
		return nil, false, refuse(CodeInvalidPayload, "invalid utf-8")
	}
	if !last {
		return nil, ended, nil
	}
	d.msg.open = false
	return d.complete()
}

// complete gives the message whose last frame has ended.
func (d *Decoder) complete() (m any, again bool, err error) {
	msg := d.msg.take()
	if d.msg.compressed {
		packed := msg
		msg, err = d.inflate(packed)
		packed.Release()
		if err != nil {
			return nil, false, err
		}
	}
	msg.valid = msg.Type == TypeText
	if d.Stream {
		d.msg.ready = msg.moveParts(d.msg.ready)
		return d.msg.next(), true, nil
	}
	return msg, true, nil
}

// collect moves n octets of in to the message and reports whether its text can still be UTF-8.
func (d *Decoder) collect(in *buffer.Buffer, n int) bool {
	if d.worthKeeping(in, n) {
		b := d.keep(in, n)
		d.msg.add(b)
		return d.checkText(b.Bytes())
	}
	for n > 0 {
		tail := d.msg.reserve(n, n+int(d.left))
		dst := d.unmask(tail, in, min(n, tail.Room()))
		if !d.checkText(dst) {
			return false
		}
		n -= len(dst)
	}
	return true
}

// readPiece takes n octets of in as a piece; nil when there is nothing to say.
func (d *Decoder) readPiece(in *buffer.Buffer, n int, last bool) (any, error) {
	var b *buffer.Buffer
	good := true
	if n > 0 {
		if d.worthKeeping(in, n) {
			b = d.keep(in, n)
		} else {
			b = d.msg.get(n)
			d.unmask(b, in, n)
		}
		good = d.checkText(b.Bytes())
	}
	if !good || last && !d.msg.text.whole() {
		if b != nil {
			b.Release()
		}
		return nil, refuse(CodeInvalidPayload, "invalid utf-8")
	}
	if last {
		d.msg.open = false
	}
	if n == 0 && !last {
		return nil, nil
	}
	p := NewPiece(d.msg.kind, b, d.msg.first, last)
	d.msg.first = false
	d.msg.streamed += n
	return p, nil
}

// checkText reports whether p can be how the text of this message goes on.
func (d *Decoder) checkText(p []byte) bool {
	return d.msg.kind != TypeText || d.msg.compressed || d.msg.text.write(p)
}

// worthKeeping reports whether n octets of in are worth keeping the whole of it alive, and may be unmasked in place.
func (d *Decoder) worthKeeping(in *buffer.Buffer, n int) bool {
	return n > copyMax && 2*n >= in.Cap() && (!d.head.masked || in.Unique())
}

// copyMax is up to where copying is cheaper than a reference.
const copyMax = 256

// keep consumes n octets of in, unmasked in place, as a buffer that shares its memory.
func (d *Decoder) keep(in *buffer.Buffer, n int) *buffer.Buffer {
	if d.head.masked {
		p := in.Peek(n)
		d.head.key = d.head.key.apply(p, p)
	}
	s := in.ReadSlice(n)
	b := s.Buffer()
	s.Release()
	return b
}

// unmask moves n octets of in to b, which has room for them, and returns them.
func (d *Decoder) unmask(b, in *buffer.Buffer, n int) []byte {
	dst := b.Reserve(n)[:n]
	if d.head.masked {
		d.head.key = d.head.key.apply(dst, in.Next(n))
	} else {
		copy(dst, in.Next(n))
	}
	b.Commit(n)
	return dst
}

// next gives the next piece of what is ready; without any it gives that of an empty message.
func (m *incoming) next() *Piece {
	var b *buffer.Buffer
	first := m.readyAt == 0
	if len(m.ready) > 0 {
		b = m.ready[m.readyAt]
		m.ready[m.readyAt] = nil
		m.readyAt++
	}
	last := m.readyAt == len(m.ready)
	if last {
		m.ready, m.readyAt = m.ready[:0], 0
	}
	return NewPiece(m.kind, b, first, last)
}
