package main

import (
	_ "embed"
	"errors"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/examples/stomp-chat/stompjs"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

//go:embed page.html
var page []byte

// maxBody is the largest picture or text.
const maxBody = 1 << 20

// chat is what all connections share: each topic /topic/chat.ROOM is a room.
type chat struct{ broker broker.Broker }

func (c *chat) routes() (*httpx.Router, error) {
	talk := &websocket.Upgrader{
		// A picture of one colour is compressed as far as DEFLATE can, 1,032 to 1. So the ratio forbids nothing: the limits do.
		Deflate: &websocket.Deflate{Cap: codec.Cap{MaxRatio: 1100}},
		// Bodies are bounded by STOMP; browsers put each frame of it into one frame of WebSocket, head and all.
		Config: websocket.Config{Limits: websocket.Limits{Frame: 2 * maxBody, Message: 2 * maxBody}},
	}
	for v := stomp.Version12; v >= stomp.Version10; v-- {
		talk.Protocols = append(talk.Protocols, websocket.Protocol{
			Name: v.Subprotocol(), Stream: true, Text: true, // heart-beats do not pass through WrapFrame
			Install: func(ctx *pipeline.Context) error { return server.Install(ctx, c.config(v)) },
		})
	}
	routes := &httpx.Router{}
	return routes, errors.Join(
		routes.Handle("GET /{$}", showPage),
		routes.Handle("GET "+stompjs.Path, stompjs.Script),
		routes.Handle("GET "+stompjs.LicensePath, stompjs.License),
		routes.Handle("GET /chat", talk.Handle),
	)
}

func showPage(_ *pipeline.Context, x *httpx.Exchange) error {
	return x.RespondBytes(200, "text/html; charset=utf-8", page)
}

// config is that of a session of version v.
func (c *chat) config(v stomp.Version) server.Config {
	return server.Config{
		Broker: &c.broker, Name: "penstock-chat/1", Versions: []stomp.Version{v}, Limits: stomp.Limits{Body: maxBody},
		Authenticate: authenticate, Authorize: authorize, Publish: c.publish,
		// Who is too slow for a room misses what is oldest; the others do not wait.
		Policy: broker.PolicyDropOldest, Prefetch: 16, MaxBacklog: 1000, MaxBacklogBytes: 8 << 20,
		WrapFrame: func(f *stomp.Frame, encoded any) (any, error) {
			return websocket.MessageOf(f.Headers.Get(stomp.HeaderContentType), encoded)
		},
	}
}
