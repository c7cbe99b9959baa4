package httpx

import "github.com/penstock-go/penstock/pipeline/buffer"

// smallHead is the length up to which a head is copied into its message: below it the copy costs less than a reference
// and does not keep a read buffer alive.
const smallHead = 256

// head holds the octets that a decoded message shows: a slice of the read buffer, or a copy when they are few.
type head struct {
	octets []byte
	slice  buffer.Slice
	small  [smallHead]byte
}

// take keeps a complete head, which stays in the window, and shows its fields through f. A folded head is copied, as
// unfolding changes it and the window may have other readers.
func (h *head) take(in *buffer.Buffer, l *lines, f *Header) {
	switch n := l.at; {
	case n <= smallHead:
		h.octets = h.small[:copy(h.small[:], in.Peek(n))]
	case l.folded:
		own := buffer.FromBytes(in.Peek(n))
		h.octets = own.Bytes()
		h.slice = own.Slice(0, n)
		own.Release()
	default:
		h.slice = in.Slice(0, n)
		h.octets = h.slice.Bytes()
	}
	f.wire, f.view = h.octets, true
	if l.folded {
		unfold(f)
	}
}

// detach keeps the octets in plain memory.
func (h *head) detach() {
	if h.slice.Len() == 0 {
		return
	}
	h.octets = append([]byte(nil), h.octets...)
	h.slice.Release()
	h.slice = buffer.Slice{}
}

// moveTo hands the octets and the Header from, which may show them, to dst and to.
func (h *head) moveTo(dst *head, from, to *Header) {
	dst.octets, dst.slice = h.octets, h.slice
	if len(h.octets) > 0 && &h.octets[0] == &h.small[0] {
		dst.octets = dst.small[:copy(dst.small[:], h.octets)]
	}
	h.octets, h.slice = nil, buffer.Slice{}
	*from, *to = *to, *from
	if to.view {
		to.wire = dst.octets
	}
}

func (h *head) drop() {
	if h.octets == nil {
		return
	}
	h.slice.Release()
	h.slice = buffer.Slice{}
	if buffer.Debug {
		poison(h.small[:])
	}
	h.octets = nil
}

// poison makes octets that somebody still looks at after the release recognisable.
func poison(p []byte) {
	for i := range p {
		p[i] = 0xDB
	}
}
