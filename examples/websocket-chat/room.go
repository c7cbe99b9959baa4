package main

import (
	_ "embed"
	"errors"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
)

//go:embed page.html
var page []byte

// room passes what each member says on to all of them.
type room struct{ members pipeline.Group }

func (r *room) routes() (*httpx.Router, error) {
	chat := &websocket.Upgrader{
		Protocols: []websocket.Protocol{{Install: r.enter}},
		Deflate:   &websocket.Deflate{},
		Config:    websocket.Config{Limits: websocket.Limits{Message: 4 << 10}},
	}
	routes := &httpx.Router{}
	return routes, errors.Join(
		routes.Handle("GET /{$}", showPage),
		routes.Handle("GET /chat", chat.Handle),
	)
}

func showPage(_ *pipeline.Context, x *httpx.Exchange) error {
	return x.RespondBytes(200, "text/html; charset=utf-8", page)
}

// enter makes a connection a member; the room forgets it when it has closed.
func (r *room) enter(ctx *pipeline.Context) error {
	r.members.Add(ctx.Channel())
	return ctx.AddAfter(pipeline.OnRead(r.said))
}

// said passes a message on. It is encoded once for all of them.
func (r *room) said(ctx *pipeline.Context, m *websocket.Message) error {
	if m.Type != websocket.TypeText {
		m.Release()
		return ctx.Write(&websocket.Close{Code: websocket.CodeUnsupported, Reason: "text only"})
	}
	p, err := websocket.Prepare(m)
	if err != nil {
		return err
	}
	r.members.Broadcast(p)
	return nil
}
