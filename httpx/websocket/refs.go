package websocket

import "sync/atomic"

// refs counts the references of a message beyond the first, so that a plain literal has one. The common case of a message
// that was never shared costs one load: nobody else can change the count of something that only we hold.
// Safe for concurrent use.
type refs struct {
	extra atomic.Int32
	gone  bool // written by the last holder only
}

func (r *refs) retain(what string) {
	if r.gone {
		panic("websocket: " + what + " retained after its release") //nolint:forbidigo // misuse by the program
	}
	r.extra.Add(1)
}

// drop gives up one reference and reports whether it was the last.
func (r *refs) drop(what string) bool {
	if r.gone {
		panic("websocket: " + what + " released twice") //nolint:forbidigo // misuse by the program
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

// revive gives a message that comes out of its pool its first reference.
func (r *refs) revive() { r.gone = false }
