package buffer

import "sync/atomic"

// tally is a counter that one goroutine at a time changes and any may read. An atomic store costs as much as the whole
// rest of Pool.Get, so the change is a plain one. That is a data race with a known outcome: the reader sees a value that
// was written, being one word (The Go Memory Model, "Implementation Restrictions for Programs Containing Data Races"),
// but maybe not the latest. Whatever else orders the two goroutines makes it the latest. On 32-bit machines a reader may
// catch a half-written value in the moment when the low word overflows.
type tally struct {
	_ [0]atomic.Uint64 // aligned for the atomic load on 32-bit machines, too
	n uint64
}

// add is hidden from the race detector, which would rightly report the race above; the reader's load is atomic.
//
//go:norace
func (t *tally) add(n uint64) { t.n += n }

// set is add for a new value that the caller has at hand.
//
//go:norace
func (t *tally) set(n uint64) { t.n = n }

// load returns the count. Safe for concurrent use.
func (t *tally) load() uint64 { return atomic.LoadUint64(&t.n) }
