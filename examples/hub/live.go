package main

import (
	"context"
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
)

// watch makes a WebSocket one of those that get each report.
func (h *hub) watch(ctx *pipeline.Context) error {
	h.viewers.Add(ctx.Channel())
	ctx.FireEvent(handlers.DetectedEvent{Protocol: "WebSocket"})
	return ctx.AddAfter(pipeline.OnLend(func(*pipeline.Context, *websocket.Message) error { return nil }))
}

// tell sends the viewers a report now and then, until parent ends.
func (h *hub) tell(parent context.Context, every time.Duration) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			if h.viewers.Len() == 0 {
				continue
			}
			if p, err := websocket.Prepare(websocket.NewText(render(h.report()))); err == nil { // it is UTF-8
				h.viewers.Broadcast(p)
			}
		case <-parent.Done():
			return
		}
	}
}
