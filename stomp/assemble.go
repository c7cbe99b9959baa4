package stomp

import "github.com/penstock-go/penstock/pipeline/buffer"

// assembler puts a body together from the pieces that reads bring. Whatever their sizes, it holds at most
// about twice the octets that have arrived: nothing is taken because a length was announced, small pieces
// are gathered, and a piece keeps its read buffer alive only when it fills half of it.
type assembler struct {
	body Body
	tail *buffer.Buffer // being filled with small pieces; they are not in body yet

	alloc buffer.Allocator // nil: the shared pool
}

const (
	minTail = 512
	maxTail = 64 << 10
	copyMax = 256 // pieces up to this size are copied by buffer anyway

	copyBelow = refThreshold // bodies below are copied with the head: encoders copy them too
)

// len returns how many octets have been taken.
func (a *assembler) len() int {
	if a.tail == nil {
		return a.body.n
	}
	return a.body.n + a.tail.Len()
}

// read moves the first n octets of in to the end.
func (a *assembler) read(in *buffer.Buffer, n int) {
	if worthKeeping(in, n) {
		a.seal()
		a.body.Append(in.ReadSlice(n))
		return
	}
	a.copy(in.Next(n))
}

// add moves s to the end. Pieces below 1 KiB are copied.
func (a *assembler) add(s buffer.Slice) {
	if s.Len() >= 1<<10 {
		a.seal()
		a.body.Append(s)
		return
	}
	a.copy(s.Bytes())
	s.Release()
}

// copy adds a copy of p to the end.
func (a *assembler) copy(p []byte) {
	for len(p) > 0 {
		if a.tail == nil {
			a.tail = a.get(min(max(a.body.n, len(p), minTail), maxTail))
		}
		n := min(len(p), a.tail.Room())
		a.tail.Append(p[:n])
		p = p[n:]
		if a.tail.Room() == 0 {
			a.seal()
		}
	}
}

func (a *assembler) get(n int) *buffer.Buffer {
	if a.alloc == nil {
		return buffer.Get(n)
	}
	return a.alloc.Get(n)
}

// seal makes what was gathered a part of the body.
func (a *assembler) seal() {
	if a.tail != nil {
		a.body.AppendBuffer(a.tail)
		a.tail = nil
	}
}

// moveTo hands the octets to dst, which is empty, and leaves a empty.
func (a *assembler) moveTo(dst *Body) {
	a.seal()
	*dst, a.body = a.body, *dst
}

// reset releases what has been taken.
func (a *assembler) reset() {
	if a.tail != nil {
		a.tail.Release()
		a.tail = nil
	}
	a.body.Reset()
}

// worthKeeping reports whether n octets of in are worth keeping the whole of it alive.
func worthKeeping(in *buffer.Buffer, n int) bool { return n > copyMax && 2*n >= in.Cap() }

// piece consumes n octets of in as a slice that keeps at most about twice its size alive.
func (a *assembler) piece(in *buffer.Buffer, n int) buffer.Slice {
	if n <= copyMax || worthKeeping(in, n) {
		return in.ReadSlice(n)
	}
	return a.copied(in, n)
}

// whole consumes n octets of in, all of a body or the end of one, as a slice. It is worth more than a piece: it keeps up
// to 16 times its size alive before it is copied, as frames that follow one another share a read buffer and are used
// soon.
func (a *assembler) whole(in *buffer.Buffer, n int) buffer.Slice {
	if n <= copyMax || 16*n >= in.Cap() {
		return in.ReadSlice(n)
	}
	return a.copied(in, n)
}

// copied consumes n octets of in as a slice of memory of their own.
func (a *assembler) copied(in *buffer.Buffer, n int) buffer.Slice {
	b := a.get(n)
	b.Append(in.Next(n))
	s := b.Slice(0, n)
	b.Release()
	return s
}
