package embedded

import (
	"context"
	"fmt"
	"time"
)

// RunPending runs all channels until nothing is left to do at this virtual time.
func (n *Network) RunPending() { n.world.run() }

// AdvanceTime lets d pass for all channels, as Channel.AdvanceTime does. Inside a callback it does nothing but make the
// channels record ErrInCallback.
func (n *Network) AdvanceTime(d time.Duration) {
	if n.world.running {
		for _, c := range n.world.members {
			c.record(ErrInCallback)
		}
		return
	}
	n.world.advance(d)
}

// Now is the virtual time.
func (n *Network) Now() time.Time { return n.world.now }

// RunUntil runs all channels, and waits for what other goroutines post, until done says that it is enough, as
// Channel.RunUntil does.
func (n *Network) RunUntil(parent context.Context, done func() bool) error {
	if n.world.running {
		return ErrInCallback
	}
	return n.world.runUntil(parent, done)
}

// Finish finishes all channels, clients first, and returns what they have left together, each text with the name of its
// channel in front; the error is Leftovers.Err. Later calls of Dial fail.
func (n *Network) Finish() (Leftovers, error) {
	if n.world.running {
		return Leftovers{}, ErrInCallback
	}
	var all Leftovers
	for i, c := range n.made {
		l, _ := c.Finish() // the error is made of all together
		all.add(n.names[i], l)
	}
	n.made, n.names = nil, nil
	if !n.finished {
		n.finished = true
		n.world.leaveLoop(n.loop, &all)
	}
	return all, all.Err()
}

// add puts what the named channel has left to l.
func (l *Leftovers) add(name string, o Leftovers) {
	for _, texts := range []struct {
		to   *[]string
		from []string
	}{
		{&l.Inbound, o.Inbound},
		{&l.Outbound, o.Outbound},
		{&l.Buffers, o.Buffers},
		{&l.Promises, o.Promises},
		{&l.Timers, o.Timers},
		{&l.Events, o.Events},
	} {
		for _, t := range texts.from {
			*texts.to = append(*texts.to, name+": "+t)
		}
	}
	for _, err := range o.Errors {
		l.Errors = append(l.Errors, fmt.Errorf("%s: %w", name, err))
	}
	l.WireBytes += o.WireBytes
	l.UnreadBytes += o.UnreadBytes
}
