package main

import (
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	stompserver "github.com/penstock-go/penstock/stomp/server"
)

// sessions is the config of STOMP sessions, which all share one broker, whatever they came over.
func (h *hub) sessions() stompserver.Config {
	return stompserver.Config{Broker: &h.broker, Name: "penstock-hub/1"}
}

// installSTOMP is for connections that speak STOMP over TCP.
func (h *hub) installSTOMP(ctx *pipeline.Context) error {
	return stompserver.Install(ctx, h.sessions())
}

// talk takes WebSockets that speak STOMP. Each frame is one message, a text where its body is one.
func (h *hub) talk() *websocket.Upgrader {
	u := &websocket.Upgrader{
		Deflate: &websocket.Deflate{},
		// STOMP bounds its frames itself; browsers send each in one frame of WebSocket.
		Config: websocket.Config{Limits: websocket.Limits{Frame: 8 << 20, Message: 8 << 20}},
	}
	for v := stomp.Version12; v >= stomp.Version10; v-- {
		u.Protocols = append(u.Protocols, websocket.Protocol{
			Name: v.Subprotocol(), Stream: true, Text: true, // heart-beats do not pass through WrapFrame
			Install: func(ctx *pipeline.Context) error { return h.installTalk(ctx, v) },
		})
	}
	return u
}

func (h *hub) installTalk(ctx *pipeline.Context, v stomp.Version) error {
	cfg := h.sessions()
	cfg.Versions = []stomp.Version{v}
	cfg.WrapFrame = func(f *stomp.Frame, encoded any) (any, error) {
		return websocket.MessageOf(f.Headers.Get(stomp.HeaderContentType), encoded)
	}
	if err := stompserver.Install(ctx, cfg); err != nil {
		return err
	}
	ctx.FireEvent(handlers.DetectedEvent{Protocol: "STOMP over WebSocket"})
	return nil
}
