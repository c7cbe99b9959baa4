package buffer

import "hash/crc32"

const defaultMessageBytes = 256

// Writer is what an encoder fills: it collects one message, the head and small bodies in one right-sized buffer, large
// bodies by reference, and gives it away with Take. A driver keeps one Writer and calls Reset per message.
// The zero value is usable after Reset. It belongs to one goroutine at a time.
type Writer struct {
	alloc Allocator
	size  int     // bytes that the next buffer should hold
	cur   *Buffer // being filled; nil until the first byte
	start int     // offset in cur's array where its latest window begins
	base  int     // message bytes before that window
	parts []piece // finished windows and references, in order

	viewed int // message bytes that a View shares
	crc    runningCRC
	crcAt  int // message offset where tracking began
	summed int // offset in cur's array up to which the sum has come
}

// piece is a finished part of the message.
type piece struct {
	part
	own   bool // written here, so that it may be patched
	whole bool // the buffer's own window, so that the buffer itself can be the message
}

// Reset drops what was written and begins the next message. a provides its buffers (nil: Shared); size is how many bytes
// are expected to be written, references not counted (0 = 256). No memory is taken before the first byte.
func (w *Writer) Reset(a Allocator, size int) {
	w.Discard()
	if a == nil {
		a = Shared()
	}
	w.alloc = a
	w.size = size
	if size <= 0 {
		w.size = defaultMessageBytes
	}
}

// Len returns the bytes of the message so far, references included.
func (w *Writer) Len() int {
	if w.cur == nil {
		return w.base
	}
	return w.base + w.cur.w - w.start
}

// Mark returns the offset of the next byte, for a later Patch.
func (w *Writer) Mark() int { return w.Len() }

// extend adds n bytes to the message and returns them for filling.
func (w *Writer) extend(n int) []byte {
	b := w.cur
	if b == nil || n > len(b.data)-b.w {
		b = w.more(n)
	}
	b.w += n
	return b.data[b.w-n : b.w]
}

// more finds room for n bytes: in a first buffer, in a larger one, or, when parts of cur are in use, in another one.
func (w *Writer) more(n int) *Buffer {
	if n < 0 {
		panicNegative("append", n)
	}
	switch b := w.cur; {
	case b == nil:
		w.begin(max(n, w.size))
	case b.loadRefs() == 1:
		b.Grow(n)
	default:
		w.finish()
		b.Release()
		w.begin(max(n, w.size))
	}
	return w.cur
}

func (w *Writer) begin(size int) {
	if w.alloc == nil {
		w.alloc = Shared()
	}
	w.cur = w.alloc.Get(size)
	w.start, w.summed = 0, 0
}

// finish turns cur's window into a part of its own; what follows in cur is a new window.
func (w *Writer) finish() {
	b := w.cur
	if b == nil || b.w == w.start {
		return
	}
	w.sumUp()
	if b.loadRefs() == 1 {
		b.refs = 2 // nobody else knows b yet, so that a plain store is enough
	} else {
		b.Retain()
	}
	w.parts = append(w.parts, piece{part: part{b, b.data[w.start:b.w:b.w]}, own: true})
	w.base += b.w - w.start
	w.start = b.w
}

// AppendRef appends b's readable window by reference and takes the reference; up to 256 bytes are copied and b released.
func (w *Writer) AppendRef(b *Buffer) { w.refer(piece{part: part{b, b.Bytes()}, whole: true}) }

// AppendSlice appends s by reference and takes the reference; up to 256 bytes are copied and s released.
func (w *Writer) AppendSlice(s Slice) {
	if s.root != nil {
		w.refer(piece{part: part{s.root, s.Bytes()}})
	}
}

func (w *Writer) refer(p piece) {
	if len(p.window) <= copyMax {
		if len(p.window) > 0 {
			w.Append(p.window)
		}
		p.b.Release()
		return
	}
	w.finish()
	w.crc.update(p.window)
	w.parts = append(w.parts, p)
	w.base += len(p.window)
}

// TrackCRC32C starts a sum over everything that is appended from here on, references included. Bytes are summed in
// stretches while they are in the cache, each once. Patching summed bytes is misuse.
func (w *Writer) TrackCRC32C() {
	w.crc = runningCRC{on: true}
	w.crcAt = w.Len()
	if w.cur != nil {
		w.summed = w.cur.w
	}
}

// CRC32C returns the Castagnoli sum of what was appended since TrackCRC32C; 0 when that was not called.
func (w *Writer) CRC32C() uint32 {
	w.sumUp()
	return w.crc.sum
}

// sumUp adds cur's bytes that are not in the sum yet.
func (w *Writer) sumUp() {
	if !w.crc.on || w.cur == nil {
		return
	}
	w.crc.sum = crc32.Update(w.crc.sum, castagnoli, w.cur.data[w.summed:w.cur.w])
	w.summed = w.cur.w
}

// View returns the message so far as a composite with references of its own. What is appended later does not show in
// it, and what it shows can no longer be patched. The caller must Release the result.
func (w *Writer) View() *Composite {
	v := NewComposite()
	for _, p := range w.parts {
		p.b.Retain()
		v.add(p.part)
	}
	if b := w.cur; b != nil && b.w > w.start {
		b.Retain()
		v.add(part{b, b.data[w.start:b.w:b.w]})
	}
	w.viewed = w.Len()
	return v
}

// Take returns the message and leaves w empty: a *Buffer when it is one piece, also when that is empty, and a *Composite
// when there are several. The caller must Release the result.
func (w *Writer) Take() any {
	msg := w.assemble()
	w.forget()
	return msg
}

func (w *Writer) assemble() any {
	if len(w.parts) == 0 {
		if w.cur == nil {
			w.begin(0)
		}
		b := w.cur
		w.cur = nil
		return b
	}
	if b := w.cur; b != nil {
		w.cur = nil
		if b.w > w.start {
			w.parts = append(w.parts, piece{part: part{b, b.data[w.start:b.w:b.w]}}) // with w's own reference
		} else {
			b.Release()
		}
	}
	if len(w.parts) == 1 {
		p := w.parts[0]
		if p.whole {
			return p.b
		}
		return viewOf(p.b, p.window)
	}
	c := NewComposite()
	for i := range w.parts {
		p := &w.parts[i].part // not empty
		c.parts = append(c.parts, *p)
		c.n += len(p.window)
	}
	return c
}

// Discard releases everything written, for an encoder that failed, and leaves w empty.
func (w *Writer) Discard() {
	for _, p := range w.parts {
		p.b.Release()
	}
	if w.cur != nil {
		w.cur.Release()
		w.cur = nil
	}
	w.forget()
}

// forget empties w, whose references have gone.
func (w *Writer) forget() {
	clear(w.parts)
	w.parts = w.parts[:0]
	if cap(w.parts) > keptParts {
		w.parts = nil
	}
	w.start, w.base, w.viewed, w.crcAt, w.summed = 0, 0, 0, 0, 0
	w.crc = runningCRC{}
}
