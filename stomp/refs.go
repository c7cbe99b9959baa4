package stomp

import "sync/atomic"

// refs counts the references of a message beyond the first, so that the zero value of a message, made by a
// plain literal, has one reference. Safe for concurrent use.
type refs struct{ extra atomic.Int32 }

// gone is the count of a message whose last reference has been dropped.
const gone = -1

// retain adds a reference. Retaining a released message is a mistake in the program.
func (r *refs) retain(what string) {
	if r.extra.Add(1) <= 0 {
		panic("stomp: " + what + " retained after its release") //nolint:forbidigo // misuse by the program
	}
}

// release drops a reference and reports whether it was the last.
func (r *refs) release(what string) bool {
	left := r.extra.Add(-1)
	if left < gone {
		panic("stomp: " + what + " released twice") //nolint:forbidigo // misuse by the program
	}
	return left == gone
}

// revive gives a message from the pool its first reference.
func (r *refs) revive() { r.extra.Store(0) }
