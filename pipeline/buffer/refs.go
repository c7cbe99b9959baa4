package buffer

import (
	"sync"
	"sync/atomic"
)

// Refs counts the references of a message, for types of one's own that are Counted: a field of theirs. It counts those
// beyond the first, so that a plain literal has one. The common case of a message that was never shared costs one load:
// nobody else can change the count of something that only we hold. Safe for concurrent use, except Revive.
type Refs struct {
	extra  atomic.Int32
	gone   bool // written by the last holder only
	pooled bool // it came out of a pool; a literal may be a part of something else, and goes into none
}

// Retain adds a reference. what names the message, with its package, in the panic that follows on a mistake in the
// program: the last reference was dropped already.
func (r *Refs) Retain(what string) {
	if r.gone {
		panicMessage(what, "retained after its release")
	}
	r.extra.Add(1)
}

// Drop gives up one reference and reports whether it was the last: then the caller releases what the message holds.
// One too many panics, as in Retain.
func (r *Refs) Drop(what string) bool {
	if r.gone {
		panicMessage(what, "released twice")
	}
	if r.extra.Load() != 0 {
		if r.extra.Add(-1) >= 0 {
			return false
		}
		r.extra.Store(0)
	}
	r.gone = true
	return true
}

// Shared reports whether there is another reference.
func (r *Refs) Shared() bool { return r.extra.Load() != 0 }

// Revive gives a message that comes out of its pool its first reference.
func (r *Refs) Revive() { r.gone, r.pooled = false, true }

// Recycle puts a message that is gone, and empty, back into the pool that it came out of. With the tag bufdebug it does
// not: then the message stays gone, and every later use of it is found.
func (r *Refs) Recycle(pool *sync.Pool, msg any) {
	if r.pooled && !Debug {
		pool.Put(msg)
	}
}
