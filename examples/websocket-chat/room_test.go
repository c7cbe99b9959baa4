package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// member is a client that notes what it hears.
type member struct {
	*pipeline.Channel
	heard []string
	code  websocket.Code
}

func (m *member) HandleRead(ctx *pipeline.Context, msg any) error {
	m.heard = append(m.heard, msg.(*websocket.Message).Text())
	ctx.Release(msg)
	return nil
}

func (m *member) HandleEvent(_ *pipeline.Context, event any) error {
	m.code = event.(websocket.CloseEvent).Code
	return nil
}

func join(t *testing.T, n *embedded.Network) *member {
	t.Helper()
	m := &member{}
	dialer := websocket.Dialer{Plain: n.Dial, Messages: true, Deflate: &websocket.Deflate{}}
	ch, err := dialer.Dial(context.Background(), "ws://chat:80/chat", func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(m)
	})
	require.NoError(t, err)
	m.Channel = ch
	return m
}

func TestMembersHearEachOther(t *testing.T) {
	routes, err := new(room).routes()
	require.NoError(t, err)
	n := embedded.NewNetwork(embedded.Config{})
	n.Listen("chat:80", httpx.Init(httpx.ServerConfig{Handle: routes.Serve}))
	a, b := join(t, n), join(t, n)
	require.NoError(t, a.Send(websocket.NewText("hello"), nil))
	n.RunPending()
	require.NoError(t, b.Send(websocket.NewText("hello to you"), nil))
	n.RunPending()
	require.Equal(t, []string{"hello", "hello to you"}, a.heard)
	require.Equal(t, a.heard, b.heard)

	require.NoError(t, b.Send(websocket.NewBinary([]byte{1}), nil))
	n.RunPending()
	require.Equal(t, websocket.CodeUnsupported, b.code)
	require.NoError(t, a.Send(websocket.NewText("bye"), nil))
	n.RunPending()
	require.Len(t, a.heard, 3)
	require.NoError(t, a.Close())
	n.RunPending()
	left, err := n.Finish()
	require.NoError(t, err)
	require.NoError(t, left.Err())
}

func TestPageIsServed(t *testing.T) {
	routes, err := new(room).routes()
	require.NoError(t, err)
	ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{Handle: routes.Serve}))
	ch.Feed("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Contains(t, ch.Wire(), "<title>Penstock chat</title>")
	ch.Feed("GET /chat HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Contains(t, ch.Wire(), "426 ")
}
