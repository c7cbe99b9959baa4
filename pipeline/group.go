package pipeline

import (
	"context"
	"sync"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Group is a set of channels, on any loops. A channel leaves it when it has closed. The zero value is an
// empty group. Safe for concurrent use.
type Group struct {
	mu      sync.Mutex
	members map[*Channel]struct{}
	waiters []chan struct{}
}

// Add puts ch into the group; a channel that has closed is not added.
func (g *Group) Add(ch *Channel) {
	g.insert(ch)
	ch.posted.Add(1)
	if !ch.loop.inbox.post(task{op: taskJoin, ch: ch, group: g}, ch.loop.cfg.Wake) {
		ch.posted.Add(-1)
		g.drop(ch)
	}
}

// join remembers the group, which the channel leaves when it is torn down.
func (c *Channel) join(g *Group) {
	if c.state == stateTorn {
		g.drop(c)
		return
	}
	c.groups = append(c.groups, g)
}

func (g *Group) insert(ch *Channel) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.members == nil {
		g.members = make(map[*Channel]struct{})
	}
	g.members[ch] = struct{}{}
}

// drop forgets ch.
func (g *Group) drop(ch *Channel) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.members, ch)
	if len(g.members) > 0 {
		return
	}
	for _, w := range g.waiters {
		close(w)
	}
	g.waiters = nil
}

// Len is the number of channels.
func (g *Group) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.members)
}

// Channels is a snapshot of the members, in no order.
func (g *Group) Channels() []*Channel {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]*Channel, 0, len(g.members))
	for ch := range g.members {
		all = append(all, ch)
	}
	return all
}

// Broadcast sends msg to every channel. It takes one reference and retains one more for each channel, so
// msg must be safe to share: bytes, or a message that encoders only read. Channels that refuse it are
// counted in the result.
func (g *Group) Broadcast(msg any) (refused int) {
	for _, ch := range g.Channels() {
		buffer.Retain(msg)
		if err := ch.Send(msg, nil); err != nil {
			refused++
		}
	}
	buffer.Release(msg)
	return refused
}

// FireEvent sends a user event through every pipeline, each on its own loop. The event is shared and
// must not be Counted.
func (g *Group) FireEvent(event any) {
	for _, ch := range g.Channels() {
		_ = ch.Post(func() { ch.pipe.FireEvent(event) }) // its loop has ended: nobody is there to hear it
	}
}

// CloseAll closes every channel in the given mode and does not wait.
func (g *Group) CloseAll(how CloseMode) {
	for _, ch := range g.Channels() {
		ch.CloseWith(how, nil)
	}
}

// Wait returns when the group is empty, or with parent's error.
func (g *Group) Wait(parent context.Context) error {
	g.mu.Lock()
	if len(g.members) == 0 {
		g.mu.Unlock()
		return nil
	}
	w := make(chan struct{})
	g.waiters = append(g.waiters, w)
	g.mu.Unlock()
	select {
	case <-w:
		return nil
	case <-parent.Done():
		return context.Cause(parent)
	}
}
