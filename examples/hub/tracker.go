package main

import (
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
)

// connection is what the status page shows of one.
type connection struct {
	ID       string    `json:"id"`
	Remote   string    `json:"remote"`
	Protocol string    `json:"protocol"`
	Pipeline string    `json:"pipeline"`
	Since    time.Time `json:"since"`
}

// tracker is the last handler of each pipeline: it keeps the hub's list of connections.
type tracker struct {
	pipeline.Unshared
	hub *hub
}

// HandleActive lists the connection.
func (t *tracker) HandleActive(ctx *pipeline.Context) error {
	t.note(ctx, "unknown")
	ctx.FireActive()
	return nil
}

// HandleEvent notes which protocol was found.
func (t *tracker) HandleEvent(ctx *pipeline.Context, event any) error {
	switch e := event.(type) {
	case handlers.DetectedEvent:
		t.note(ctx, e.Protocol)
		_ = ctx.Channel().Post(func() { t.refresh(ctx.Channel()) }) // its handlers are not all in their places yet
		t.hub.mu.Lock()
		t.hub.seen[e.Protocol]++
		t.hub.mu.Unlock()
	default:
		ctx.FireEvent(event)
	}
	return nil
}

// HandleInactive takes the connection off the list.
func (t *tracker) HandleInactive(ctx *pipeline.Context) error {
	t.hub.mu.Lock()
	delete(t.hub.conns, ctx.Channel())
	t.hub.mu.Unlock()
	ctx.FireInactive()
	return nil
}

func (t *tracker) note(ctx *pipeline.Context, protocol string) {
	ch := ctx.Channel()
	h := t.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.conns[ch]
	if c == nil {
		c = &connection{ID: ch.ID(), Since: time.Now()}
		if remote := ch.RemoteAddr(); remote != nil {
			c.Remote = remote.String()
		}
		h.conns[ch] = c
	}
	c.Protocol, c.Pipeline = protocol, ch.Pipeline().String()
}

// refresh shows the pipeline as it is by now, if the connection is still there.
func (t *tracker) refresh(ch *pipeline.Channel) {
	t.hub.mu.Lock()
	defer t.hub.mu.Unlock()
	if c := t.hub.conns[ch]; c != nil {
		c.Pipeline = ch.Pipeline().String()
	}
}

var (
	_ pipeline.ActiveHandler   = (*tracker)(nil)
	_ pipeline.EventHandler    = (*tracker)(nil)
	_ pipeline.InactiveHandler = (*tracker)(nil)
)
