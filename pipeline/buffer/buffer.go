package buffer

import (
	"bytes"
	"fmt"
	"sync/atomic"
)

// What makes a buffer differ from one that a loop took from its own pool. A loop's own buffer has no flag at all, so the
// fast path is one compare.
const (
	flagShared  = 1 << iota // memory of the shared pool, also when home counts it
	flagPlain               // memory of no pool: above 1 MiB, or adopted by Wrap
	flagView                // window of another buffer's memory, which root keeps alive
	flagTraced              // sampled by the leak tracer
	flagAdopted             // memory of the caller of Wrap, which must stay as it is
)

// Buffer is a pooled, reference-counted run of bytes with a readable window and a writable tail:
//
//	0 <= read <= written <= Cap
//	     |-Len-|  |--Room--|
//
// Whoever receives a *Buffer owns one reference and must pass it on, keep it, or release it, exactly once. Retain and
// Release are safe for concurrent use; every other method belongs to one goroutine at a time.
// The zero value is not usable: take one from a Pool, Get, Wrap, FromString or FromBytes.
type Buffer struct {
	data []byte // the whole array
	r, w int    // readable window
	// refs is changed atomically, except where this goroutine provably holds the only reference.
	refs  int32
	class int8
	flags uint8
	debugState
	home  *Pool      // whose live count includes this buffer; nil: the shared pool
	next  *Buffer    // free list and return stack
	root  *Buffer    // owner of the memory of a view
	trace *leakTrace // set while sampled
}

// Get returns an empty buffer with one reference and room for at least n bytes from the process-wide pool.
// It is for code that runs on no event loop. Safe for concurrent use. The caller must Release the result.
func Get(n int) *Buffer { return shared.get(n) }

// Wrap adopts p as the readable bytes of a buffer that belongs to no pool. The caller must not change p afterwards;
// appending moves the bytes into pooled memory and leaves p alone. Safe for concurrent use.
func Wrap(p []byte) *Buffer {
	b := &Buffer{data: p[:len(p):len(p)], w: len(p), refs: 1, class: unpooled, flags: flagShared | flagPlain | flagAdopted}
	shared.count(b)
	shared.plain.misses.Add(1)
	return b
}

// FromString returns a pooled copy of s. Safe for concurrent use. The caller must Release the result.
func FromString(s string) *Buffer {
	b := Get(len(s))
	b.AppendString(s)
	return b
}

// FromBytes returns a pooled copy of p. Safe for concurrent use. The caller must Release the result.
func FromBytes(p []byte) *Buffer {
	b := Get(len(p))
	b.Append(p)
	return b
}

// Bytes returns the readable window. It is valid until b is released or appended to, and read-only unless b is Unique.
func (b *Buffer) Bytes() []byte {
	if Debug {
		b.check("Bytes")
	}
	return b.data[b.r:b.w]
}

// Len returns the number of readable bytes.
func (b *Buffer) Len() int {
	if Debug {
		b.check("Len")
	}
	return b.w - b.r
}

// Cap returns the bytes of the whole array, consumed ones included.
func (b *Buffer) Cap() int { return len(b.data) }

// Room returns how many bytes fit behind the window without growing.
func (b *Buffer) Room() int { return len(b.data) - b.w }

// Next consumes n bytes and returns them; they stay valid as long as Bytes does. It panics when n > Len.
func (b *Buffer) Next(n int) []byte {
	if Debug {
		b.checkLen("Next", n)
	}
	if uint(n) > uint(b.w-b.r) {
		panic(pastEnd)
	}
	b.r += n
	return b.data[b.r-n : b.r]
}

// Peek returns the first n readable bytes without consuming them. It panics when n > Len.
func (b *Buffer) Peek(n int) []byte {
	if Debug {
		b.checkLen("Peek", n)
	}
	if uint(n) > uint(b.w-b.r) {
		panic(pastEnd)
	}
	return b.data[b.r : b.r+n]
}

// Skip consumes n bytes. It panics when n > Len.
func (b *Buffer) Skip(n int) {
	if Debug {
		b.checkLen("Skip", n)
	}
	if uint(n) > uint(b.w-b.r) {
		panic(pastEnd)
	}
	b.r += n
}

// Truncate keeps the first n readable bytes and drops the rest. It panics when n > Len.
func (b *Buffer) Truncate(n int) {
	if Debug {
		b.checkLen("Truncate", n)
	}
	if uint(n) > uint(b.w-b.r) {
		panic(pastEnd)
	}
	b.w = b.r + n
}

// Reset empties b, so that its whole array is room again. It panics when somebody else holds a reference.
func (b *Buffer) Reset() {
	b.mustBeUnique("reset")
	b.r, b.w = 0, 0
}

// IndexByte returns the offset of the first c from the window's start, or -1.
func (b *Buffer) IndexByte(c byte) int { return bytes.IndexByte(b.Bytes(), c) }

// Retain adds one reference; each needs its own Release. Safe for concurrent use.
func (b *Buffer) Retain() {
	if Debug {
		b.check("Retain")
	}
	if atomic.AddInt32(&b.refs, 1) <= 1 {
		atomic.AddInt32(&b.refs, -1)
		panicRetained(b)
	}
}

// Release drops one reference. The last one gives the memory back to the pool that it came from; one too many panics
// with the buffer's origin. Safe for concurrent use.
func (b *Buffer) Release() {
	if refs := atomic.AddInt32(&b.refs, -1); refs <= 0 {
		b.last(refs)
	}
}

// last follows the Release that found no other reference, or not even its own.
func (b *Buffer) last(refs int32) {
	if refs < 0 {
		atomic.AddInt32(&b.refs, 1)
		panicReleasedTwice(b)
	}
	b.free()
}

// Unique reports whether the caller holds the only reference to the memory, so that it may change bytes in place.
func (b *Buffer) Unique() bool {
	if Debug {
		b.check("Unique")
	}
	return b.unique()
}

func (b *Buffer) unique() bool {
	return atomic.LoadInt32(&b.refs) == 1 && (b.root == nil || b.root.unique())
}

// String describes b for logs and panics: lengths, references and pool, never the payload.
func (b *Buffer) String() string {
	return fmt.Sprintf("buffer %d/%d bytes, refs %d, %s", b.w-b.r, len(b.data), atomic.LoadInt32(&b.refs), b.origin())
}

// origin names the place that b's memory returns to.
func (b *Buffer) origin() string {
	what := "view"
	switch {
	case b.flags&flagAdopted != 0:
		what = "wrapped memory"
	case b.flags&flagPlain != 0:
		what = "unpooled memory"
	case b.flags&flagView == 0:
		what = fmt.Sprintf("class %d", classSize(int(b.class)))
	}
	if b.home != nil {
		return fmt.Sprintf("%s, pool %q", what, b.home.name)
	}
	return what + ", shared pool"
}

// free gives the memory of a buffer without references back to where it came from.
func (b *Buffer) free() {
	if b.trace != nil {
		b.untrace()
	}
	if Debug {
		b = b.retire()
	}
	b.r, b.w = 0, 0
	switch {
	case b.flags&flagView != 0:
		b.freeView()
	case b.home == nil:
		shared.put(b)
	default:
		b.home.giveBack(b)
	}
}
