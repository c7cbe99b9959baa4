package broker

import (
	"unsafe"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// text holds the strings of one message in memory that its next life uses again, so that they cost no allocation each.
// Strings never move: when a piece is full the next one is larger, and older strings keep theirs alive.
type text struct{ piece []byte }

const (
	minText  = 256
	maxText  = 4 << 10 // a larger piece is not kept for another life
	maxParts = 32      // so many entries of a list are
)

// keep returns a copy of s that is valid until reset.
func (t *text) keep(s string) string {
	if s == "" {
		return ""
	}
	at := len(t.piece)
	if cap(t.piece)-at < len(s) {
		t.piece = make([]byte, 0, max(minText, 2*cap(t.piece), len(s)))
		at = 0
	}
	t.piece = append(t.piece, s...)
	// The bytes are not written again before reset, which the last release calls.
	return unsafe.String(&t.piece[at], len(s))
}

// reset makes the memory free for the next life.
func (t *text) reset() {
	if cap(t.piece) > maxText || buffer.Debug { // stale strings stay readable, and a test would not notice them
		t.piece = nil
		return
	}
	t.piece = t.piece[:0]
}
