//go:build bufdebug

package buffer

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
)

// Debug tells whether the program was built with the tag bufdebug, which checks every access, poisons freed memory and
// watches that loop pools stay on their loop.
const Debug = true

const poisonByte = 0xdb

// lives numbers the lives of buffers: a slice knows in which one it was made.
var lives atomic.Uint64

// debugState is what a buffer remembers about its life. A released header is never used again: its array moves to a new
// one, so that a stale pointer is found however late it is used.
type debugState struct {
	life     uint64
	poisoned bool // the whole array, and nobody may have written to it since
	taken    [traceDepth]uintptr
	freed    [traceDepth]uintptr
	touches  [touchesKept]string
	touched  int
}

// born begins a life: memory that was freed must still be poisoned.
func (b *Buffer) born() {
	b.verify()
	b.began()
}

// began starts a new life where it is called.
func (d *debugState) began() {
	*d = debugState{life: lives.Add(1)}
	runtime.Callers(2, d.taken[:])
}

// ended notes where the life ended.
func (d *debugState) ended() { runtime.Callers(2, d.freed[:]) }

// verify panics when somebody wrote to poisoned memory.
func (b *Buffer) verify() {
	if !b.poisoned {
		return
	}
	b.poisoned = false
	for i, c := range b.data {
		if c != poisonByte {
			panic(fmt.Sprintf("buffer: written after release (byte %d is %#x; %s%s)", i, c, b.origin(), b.history()))
		}
	}
}

// retire ends a life and returns a new header for the memory.
func (b *Buffer) retire() *Buffer {
	b.ended()
	heir := &Buffer{class: b.class, flags: b.flags &^ flagTraced, home: b.home, data: b.data, root: b.root}
	heir.debugState = b.debugState // for the panic that finds the array written to
	if b.flags&flagView == 0 {
		heir.poison()
	}
	b.life = 0
	b.data, b.root, b.r, b.w = nil, nil, 0, 0
	return heir
}

// poison overwrites memory that nobody may use any more. Adopted memory is left alone, as it is the caller's.
func (b *Buffer) poison() {
	if b.flags&flagAdopted != 0 || len(b.data) == 0 {
		return
	}
	b.data[0] = poisonByte
	for n := 1; n < len(b.data); n *= 2 {
		copy(b.data[n:], b.data[:n])
	}
	b.poisoned = true
}

// check panics when b was released.
func (b *Buffer) check(what string) {
	if b.loadRefs() <= 0 {
		panic(fmt.Sprintf("buffer: used after release (%s; %s%s)", what, b.origin(), b.history()))
	}
	if b.root != nil {
		b.root.check(what)
	}
}

// checkLen panics when b was released or has no n bytes.
func (b *Buffer) checkLen(what string, n int) {
	b.check(what)
	if n < 0 || n > b.w-b.r {
		panic(fmt.Sprintf("%s (%s of %d bytes, have %d%s)", pastEnd, what, n, b.w-b.r, b.history()))
	}
}

// check panics when c, or the buffer behind a part of it, was released.
func (c *Composite) check(what string) {
	if c.loadRefs() <= 0 {
		panic("buffer: composite used after release (" + what + c.history() + ")")
	}
	for _, p := range c.parts[c.head:] {
		p.b.check(what)
	}
}

func (b *Buffer) touchDebug(hint string) {
	b.check("Touch")
	b.touches[b.touched%touchesKept] = hint
	b.touched++
}

// history tells where a buffer or a rope was taken, touched and released.
func (d *debugState) history() string {
	text := "\ntaken at\n" + stackText(trimZeros(d.taken[:]))
	if d.freed[0] != 0 {
		text += "released at\n" + stackText(trimZeros(d.freed[:]))
	}
	for i := max(0, d.touched-touchesKept); i < d.touched; i++ {
		text += "touched: " + d.touches[i%touchesKept] + "\n"
	}
	return text
}

func trimZeros(pcs []uintptr) []uintptr {
	for len(pcs) > 0 && pcs[len(pcs)-1] == 0 {
		pcs = pcs[:len(pcs)-1]
	}
	return pcs
}

// sliceMark is the life of the root that a slice was made in.
type sliceMark struct{ life uint64 }

func (b *Buffer) mark() sliceMark { return sliceMark{b.life} }

// checkSlice panics when the buffer behind s was released.
func (s Slice) checkSlice(what string) {
	s.root.check(what)
	if s.life != s.root.life {
		panic(fmt.Sprintf("buffer: slice of an earlier life (%s; %s%s)", what, s.root.origin(), s.root.history()))
	}
}

// affinity is the goroutine that a loop pool belongs to; 0 = not bound.
type affinity struct{ goroutine uint64 }

// Bind remembers the calling goroutine as p's loop. Under the tag bufdebug Get, Put and Trim on any other panic; in an
// ordinary build it does nothing. Call it on the event loop only.
func (p *Pool) Bind() { p.goroutine = goroutineID() }

// checkLoop panics on a goroutine that is not p's.
func (p *Pool) checkLoop(what string) {
	if p.goroutine == 0 {
		return
	}
	if id := goroutineID(); id != p.goroutine {
		panic(fmt.Sprintf("buffer: %s of pool %q on goroutine %d, its loop is %d", what, p.name, id, p.goroutine))
	}
}

// goroutineID reads the number from the first line of a stack trace, "goroutine N [running]:".
func goroutineID() uint64 {
	var line [64]byte
	text := bytes.TrimPrefix(line[:runtime.Stack(line[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}
