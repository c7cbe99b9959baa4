package buffer

import (
	"fmt"
	"sync/atomic"
)

// Panics here are for programs that break the ownership rules or read past the end, never for what a peer sent. They
// are kept out of line so that the methods that check stay small enough to be inlined.

// pastEnd has no numbers, so that the reading methods are inlined; the tag bufdebug adds them.
const pastEnd = "buffer: read past the readable bytes"

func (b *Buffer) loadRefs() int32 { return atomic.LoadInt32(&b.refs) }

func (b *Buffer) mustBeUnique(what string) {
	if Debug {
		b.check(what)
	}
	if !b.unique() {
		panicShared(b, what)
	}
}

//go:noinline
func panicReleasedTwice(b *Buffer) {
	panic(fmt.Sprintf("buffer: released twice (%s%s)", b.origin(), b.history()))
}

//go:noinline
func panicRetained(b *Buffer) {
	panic(fmt.Sprintf("buffer: retained after release (%s%s)", b.origin(), b.history()))
}

//go:noinline
func panicShared(b *Buffer, what string) {
	panic(fmt.Sprintf("buffer: %s of shared bytes (%v%s)", what, b, b.history()))
}

//go:noinline
func panicShort(what string, n, have int) {
	panic(fmt.Sprintf("buffer: %s of %d bytes, have %d", what, n, have))
}

//go:noinline
func panicOutside(what string, at, n, have int) {
	panic(fmt.Sprintf("buffer: %s of %d bytes at %d, have %d", what, n, at, have))
}

//go:noinline
func panicNegative(what string, n int) {
	panic(fmt.Sprintf("buffer: %s of %d bytes", what, n))
}

//go:noinline
func panicMessage(what, mistake string) { panic(what + " " + mistake) }
