package websocket

import (
	"sync"

	"github.com/klauspost/compress/flate"
)

// packer compresses messages. It holds 0.8 to 1.4 MiB.
type packer struct {
	w *flate.Writer
	gather
	bits, level int
}

// packers are packers for the next message, by window bits and level.
var packers [mostWindowBits + 1][10]sync.Pool

// newPacker returns a packer that refers to nothing.
func newPacker(bits, level int) (*packer, error) {
	if bits < mostWindowBits {
		level = 0 // the library has one algorithm for them
	}
	if p, _ := packers[bits][level].Get().(*packer); p != nil {
		p.w.Reset(&p.gather)
		return p, nil
	}
	p := &packer{bits: bits, level: level}
	var err error
	if bits < mostWindowBits {
		p.w, err = flate.NewWriterWindow(&p.gather, 1<<bits)
	} else {
		p.w, err = flate.NewWriter(&p.gather, level)
	}
	return p, err
}

// giveBack keeps p for another message.
func (p *packer) giveBack() {
	p.drop()
	p.alloc = nil
	packers[p.bits][p.level].Put(p)
}

// pack returns m compressed, as it goes into frames. m stays the caller's. RFC 7692, 7.2.1.
func (p *packer) pack(m *Message) (*Message, error) {
	p.msg = NewMessage(m.Type)
	for i := range m.Parts() {
		if _, err := p.w.Write(m.Part(i)); err != nil {
			return nil, err
		}
	}
	if err := p.w.Flush(); err != nil {
		return nil, err
	}
	packed := p.take()
	packed.truncate(packed.n - len("\x00\x00\xff\xff"))
	return packed, nil
}
