package main

import (
	"sync"
	"time"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	stompserver "github.com/penstock-go/penstock/stomp/server"
)

const refusal = "unknown protocol: this port speaks HTTP/1.1 and STOMP 1.0 to 1.2\n"

// hub is the server with what its connections share.
type hub struct {
	server  transport.Server
	broker  broker.Broker // what STOMP sessions share
	started time.Time
	within  time.Duration // from accept until a protocol is ready; 0 = 10 s
	site    *httpx.Router
	viewers pipeline.Group // WebSockets that show the report

	mu    sync.Mutex
	conns map[*pipeline.Channel]*connection
	seen  map[string]int // connections so far, by the protocol that was found
}

func newHub() (*hub, error) {
	h := &hub{started: time.Now(), conns: make(map[*pipeline.Channel]*connection), seen: make(map[string]int)}
	h.server.Init = h.open
	var err error
	h.site, err = h.routes()
	return h, err
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
	return httpx.Install(ctx, httpx.ServerConfig{Handle: h.site.Serve})
}
