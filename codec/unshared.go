package codec

import (
	"fmt"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline"
)

// Unshared is for codecs what pipeline.Unshared is for handlers. It is embedded by codecs that keep state between calls: adding a handler for one that another handler
// runs is an error (pipeline.ErrNotShareable). When that handler has left its pipeline the codec is free again.
// The zero value is ready; do not copy a codec once it is used.
type Unshared struct{ taken int32 } // not an atomic.Bool, so that settings may be copied before use

type unshareable interface {
	claim() bool
	disclaim()
}

func (u *Unshared) claim() bool { return atomic.CompareAndSwapInt32(&u.taken, 0, 1) }
func (u *Unshared) disclaim()   { atomic.StoreInt32(&u.taken, 0) }

// lease is a handler's hold of its codec, from HandleAdded to HandleRemoved.
type lease struct{ held bool }

// prepare does for a codec what must be done before its first call.
func (l *lease) prepare(ctx *pipeline.Context, codec any) error {
	if u, ok := codec.(unshareable); ok && !u.claim() {
		return fmt.Errorf("codec: %s is run by another handler, make one for each channel: %w", nameOf(codec), pipeline.ErrNotShareable)
	}
	l.held = true
	if c, ok := codec.(Checker); ok {
		if err := c.Check(); err != nil {
			return fmt.Errorf("codec: %s: %w", nameOf(codec), err)
		}
	}
	if u, ok := codec.(AllocatorUser); ok {
		u.UseAllocator(ctx.Loop().Pool())
	}
	return nil
}

// reset gives back what a codec holds, and the codec itself. A codec that was refused stays with its owner.
func (l *lease) reset(codec any) {
	if !l.held {
		return
	}
	l.held = false
	if r, ok := codec.(Resetter); ok {
		r.Reset()
	}
	if u, ok := codec.(unshareable); ok {
		u.disclaim()
	}
}
