package embedded

import (
	"context"
	"time"
)

// RunPending runs posted tasks, due timers, flushes and reads until nothing is left to do at this virtual time. A
// channel that never comes to rest records ErrBusy.
func (c *Channel) RunPending() { c.world.run() }

// AdvanceTime lets d pass for this channel and those that it is connected with. Timers fire in order, each at its own
// time, and what follows from one happens before the next. It sleeps not at all. Inside a callback it does nothing but
// record ErrInCallback.
func (c *Channel) AdvanceTime(d time.Duration) {
	if c.world.running {
		c.record(ErrInCallback)
		return
	}
	c.world.advance(d)
}

// Now is the virtual time.
func (c *Channel) Now() time.Time { return c.world.now }

// PendingTasks is the number of posted tasks, writes and closes that have not run yet.
func (c *Channel) PendingTasks() int { return c.loop.Pending() }

// PendingTimers is the number of armed timers of the channel's loop, those of the pipeline itself included (a peer that
// takes nothing, a close that waits for the peer's FIN).
func (c *Channel) PendingTimers() int { return c.loop.Timers() }

// RunUntil runs the loop, and waits for what other goroutines post, until done says that it is enough; it is asked after
// everything so far has run. It returns the cause when parent ends first, and ErrInCallback inside a callback. Virtual
// time stands still meanwhile.
func (c *Channel) RunUntil(parent context.Context, done func() bool) error {
	if c.world.running {
		return ErrInCallback
	}
	return c.world.runUntil(parent, done)
}

func (w *world) runUntil(parent context.Context, done func() bool) error {
	for {
		w.run()
		if done() {
			return nil
		}
		select {
		case <-w.wake:
		case <-parent.Done():
			return context.Cause(parent)
		}
	}
}
