package main

import (
	"sync"
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	stompserver "github.com/penstock-go/penstock/stomp/server"

	"github.com/penstock-go/penstock/pipeline/transport"
)

const refusal = "unknown protocol: this port speaks HTTP/1.1 and STOMP 1.0 to 1.2\n"

// hub is the server with what its connections share.
type hub struct {
	server  transport.Server
	topics  stompserver.Topics
	started time.Time
	within  time.Duration // from accept until a protocol is ready; 0 = 10 s

	mu    sync.Mutex
	conns map[*pipeline.Channel]*connection
	total map[string]int // connections so far, by protocol
}

func newHub() *hub {
	h := &hub{started: time.Now(), conns: make(map[*pipeline.Channel]*connection), total: make(map[string]int)}
	h.server.Init = h.open
	return h
}

// open fills a new connection's pipeline: detection puts a protocol into its own place later.
func (h *hub) open(ch *pipeline.Channel) error {
	return ch.Pipeline().AddLast(
		&handlers.Detect{
			Rules: []handlers.Rule{
				{Name: "HTTP", Match: httpx.Match, Install: h.installHTTP},
				{Name: "STOMP", Match: stompserver.Match, Install: h.installSTOMP},
			},
			Refusal:  refusal,
			Deadline: h.within,
		},
		&tracker{hub: h},
	)
}

func (h *hub) installHTTP(ctx *pipeline.Context) error {
	return httpx.Install(ctx, httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler {
		return []pipeline.Handler{&handlers.Idle{}, pipeline.OnRead(h.status)}
	}})
}

func (h *hub) installSTOMP(ctx *pipeline.Context) error {
	return stompserver.Install(ctx, stompserver.Config{Topics: &h.topics, Name: "penstock-hub/1"})
}

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

// HandleEvent notes which protocol was found, and closes idle connections.
func (t *tracker) HandleEvent(ctx *pipeline.Context, event any) error {
	switch e := event.(type) {
	case handlers.DetectedEvent:
		t.note(ctx, e.Protocol)
	case handlers.IdleEvent:
		ctx.Close()
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
	h.total[protocol]++
}
