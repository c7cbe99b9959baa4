package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/penstock-go/penstock/examples/stomp-chat/stompjs"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// report is the hub's state as /status.json gives it.
type report struct {
	UptimeSeconds float64                   `json:"uptime_seconds"`
	Server        transport.Stats           `json:"server"`
	Seen          map[string]int            `json:"seen"`
	Broker        broker.Stats              `json:"broker"`
	Destinations  []broker.DestinationStats `json:"destinations"` // up to maxDestinations
	Pools         map[string]buffer.Stats   `json:"pools"`
	Connections   []connection              `json:"connections"`
}

func (h *hub) report() report {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := report{
		UptimeSeconds: time.Since(h.started).Seconds(),
		Server:        h.server.Stats(),
		Broker:        h.broker.Stats(),
		Destinations:  h.destinations(),
		Seen:          maps.Clone(h.seen),
		Pools:         map[string]buffer.Stats{"shared": buffer.SharedStats()},
		Connections:   []connection{},
	}
	for ch, c := range h.conns {
		r.Connections = append(r.Connections, *c)
		r.Pools[ch.Loop().Name()] = ch.Loop().Pool().Stats()
	}
	slices.SortFunc(r.Connections, func(a, b connection) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	return r
}

// maxDestinations is how many destinations a report has.
const maxDestinations = 200

// destinations are those of the broker by name.
func (h *hub) destinations() []broker.DestinationStats {
	list := []broker.DestinationStats{}
	h.broker.Destinations(func(d broker.DestinationStats) bool {
		list = append(list, d)
		return len(list) < maxDestinations
	})
	slices.SortFunc(list, func(a, b broker.DestinationStats) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// routes answers requests for the page, for its JSON, for the WebSocket that keeps the page up to date, and for STOMP over WebSocket.
func (h *hub) routes() (*httpx.Router, error) {
	live := &websocket.Upgrader{Protocols: []websocket.Protocol{{Install: h.watch}}, Deflate: &websocket.Deflate{}}
	r := &httpx.Router{}
	return r, errors.Join(
		r.Handle("GET /{$}", func(_ *pipeline.Context, x *httpx.Exchange) error {
			return reply(x, "text/html; charset=utf-8", []byte(page(h.report())))
		}),
		r.Handle("GET /status.json", func(_ *pipeline.Context, x *httpx.Exchange) error {
			body, err := json.MarshalIndent(h.report(), "", "  ")
			if err != nil {
				return err
			}
			return reply(x, "application/json", append(body, '\n'))
		}),
		r.Handle("GET /live", live.Handle),
		r.Handle("GET /stomp", h.talk().Handle),
		r.Handle("GET "+stompjs.Path, stompjs.Script),
		r.Handle("GET "+stompjs.LicensePath, stompjs.License),
	)
}

func reply(x *httpx.Exchange, contentType string, body []byte) error {
	answer := httpx.NewFullResponse(200)
	answer.SetBody(body)
	err := errors.Join(answer.Header.Add("content-type", contentType), answer.Header.Add("cache-control", "no-store"))
	if err != nil {
		answer.Release()
		return err
	}
	return x.Respond(answer)
}
