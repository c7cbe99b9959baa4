package pipeline

import "sync/atomic"

// Unshared is embedded by handlers that keep state of one channel. Adding such a handler while it is in
// any pipeline is an error (ErrNotShareable): make one for each channel; after its removal it may be added again. The zero value is
// ready.
type Unshared struct{ taken atomic.Bool }

type unshareable interface {
	claim() bool
	disclaim()
}

func (u *Unshared) claim() bool { return u.taken.CompareAndSwap(false, true) }
func (u *Unshared) disclaim()   { u.taken.Store(false) }
