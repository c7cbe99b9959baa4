package buffer

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const inlineParts = 4

// Composite is a rope: several buffers read as one run of bytes. Appending takes a reference and copies nothing.
// It is a message like Buffer: whoever receives it owns one reference. Retain and Release are safe for concurrent use,
// every other method belongs to one goroutine at a time. Take one from NewComposite.
type Composite struct {
	debugState
	parts   []part // those before head are gone
	head    int
	n       int // readable bytes
	refs    int32
	crc     runningCRC
	seek    int // part that At found last, and the offset where it begins
	seekAt  int
	spent   *Buffer // consumed part whose bytes Next returned
	scratch *Buffer // copy across a seam that Peek or Next returned
	inline  [inlineParts]part
}

// composites keeps headers; the memory belongs to the parts.
var composites = sync.Pool{New: func() any { return new(Composite) }}

// NewComposite returns an empty rope with one reference. Safe for concurrent use. The caller must Release the result.
func NewComposite() *Composite {
	c := composites.Get().(*Composite)
	c.refs = 1
	if Debug {
		c.began()
	}
	if c.parts == nil {
		c.parts = c.inline[:0]
	}
	return c
}

// Append adds b's readable window of this moment to the end. It takes the reference; an empty b is released.
func (c *Composite) Append(b *Buffer) {
	c.add(part{b, b.Bytes()})
}

// AppendSlice adds s to the end. It takes the reference.
func (c *Composite) AppendSlice(s Slice) {
	if s.root != nil {
		c.add(part{s.root, s.Bytes()})
	}
}

// AppendComposite moves what o has left to the end of c. It takes o's reference; when somebody else holds one too, o
// keeps its parts and c gets references of its own.
func (c *Composite) AppendComposite(o *Composite) {
	c.check("AppendComposite")
	if c == o {
		panic("buffer: composite appended to itself")
	}
	if o.loadRefs() == 1 {
		o.MoveTo(func(b *Buffer, window []byte) { c.add(part{b, window}) })
	} else {
		for _, p := range o.parts[o.head:] {
			p.b.Retain()
			c.add(p)
		}
	}
	o.Release()
}

// add appends p, whose reference it takes.
func (c *Composite) add(p part) {
	c.check("Append")
	if len(p.window) == 0 {
		p.b.Release()
		return
	}
	if len(c.parts) == cap(c.parts) && 2*c.head >= len(c.parts) {
		c.compact()
	}
	c.parts = append(c.parts, p)
	c.n += len(p.window)
	c.crc.update(p.window)
}

// compact moves the parts down over those that are gone, so that a rope used as a queue does not grow.
func (c *Composite) compact() {
	left := copy(c.parts, c.parts[c.head:])
	clear(c.parts[left:])
	c.parts = c.parts[:left]
	c.head = 0
}

// Len returns the number of readable bytes.
func (c *Composite) Len() int {
	c.check("Len")
	return c.n
}

// Retain adds one reference; each needs its own Release. Safe for concurrent use.
func (c *Composite) Retain() {
	if atomic.AddInt32(&c.refs, 1) <= 1 {
		atomic.AddInt32(&c.refs, -1)
		panic("buffer: composite retained after release" + c.history())
	}
}

// Release drops one reference. The last one releases all parts; one too many panics. Safe for concurrent use.
func (c *Composite) Release() {
	if c.loadRefs() == 1 {
		c.refs = 0 // nobody else has a reference, so nobody else may touch the count: a plain store is enough
	} else if refs := atomic.AddInt32(&c.refs, -1); refs > 0 {
		return
	} else if refs < 0 {
		atomic.AddInt32(&c.refs, 1)
		panic("buffer: composite released twice" + c.history())
	}
	for _, p := range c.parts[c.head:] {
		p.b.Release()
	}
	c.settle()
	c.clear()
	if Debug {
		c.ended()
		return
	}
	composites.Put(c)
}

// clear forgets all parts, whose references have gone elsewhere.
func (c *Composite) clear() {
	clear(c.parts)
	if cap(c.parts) > keptParts {
		c.parts = c.inline[:0]
	}
	c.parts = c.parts[:0]
	c.head, c.n, c.seek, c.seekAt = 0, 0, 0, 0
	c.crc = runningCRC{}
}

// keptParts is about the largest part list that a pooled header or an idle Writer keeps.
const keptParts = 128

// settle drops what Peek and Next kept alive for their results.
func (c *Composite) settle() {
	if c.spent != nil {
		c.spent.Release()
		c.spent = nil
	}
	if c.scratch != nil {
		c.scratch.Release()
		c.scratch = nil
	}
}

func (c *Composite) loadRefs() int32 { return atomic.LoadInt32(&c.refs) }

// String describes c for logs: lengths and references, never the payload.
func (c *Composite) String() string {
	return fmt.Sprintf("composite %d bytes in %d parts, refs %d", c.n, len(c.parts)-c.head, c.loadRefs())
}
