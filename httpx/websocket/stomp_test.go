package websocket_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

// What a protocol's Install puts into a pipeline over TCP runs over WebSocket as it is.
func TestSTOMPRunsOverWebSocket(t *testing.T) {
	b := &broker.Broker{}
	u := &websocket.Upgrader{
		Protocols: []websocket.Protocol{{
			Name: "v12.stomp", Stream: true, Text: true,
			Install: func(ctx *pipeline.Context) error { return server.Install(ctx, server.Config{Broker: b}) },
		}},
		Deflate: &websocket.Deflate{MinBytes: 1},
	}
	n := newNetwork(t)
	n.Listen("server:80", httpx.Init(httpx.ServerConfig{Handle: u.Handle}))
	var got []string
	connect := func() *pipeline.Channel {
		d := &websocket.Dialer{Plain: n.Dial, Protocols: []string{"v12.stomp", "v11.stomp"}, Text: true, Deflate: &websocket.Deflate{}}
		ch, err := d.Dial(t.Context(), "ws://server/stomp", func(ch *pipeline.Channel) error {
			state := &stomp.State{}
			return ch.Pipeline().AddLast(codec.NewDecoder[any](&stomp.Decoder{State: state}), codec.NewEncoder[any](&stomp.Encoder{State: state}),
				pipeline.OnLend(func(_ *pipeline.Context, f *stomp.Frame) error {
					got = append(got, string(f.Command)+" "+f.Body.String())
					return nil
				}))
		})
		require.NoError(t, err)
		return ch
	}
	send := func(ch *pipeline.Channel, f *stomp.Frame) {
		require.NoError(t, ch.Send(f, nil))
		n.RunPending()
	}
	subscriber, publisher := connect(), connect()
	for _, ch := range []*pipeline.Channel{subscriber, publisher} {
		send(ch, stomp.NewFrame(stomp.CommandConnect, "accept-version", "1.2", "host", "/"))
	}
	require.Equal(t, []string{"CONNECTED ", "CONNECTED "}, got)
	got = nil
	send(subscriber, stomp.NewFrame(stomp.CommandSubscribe, "id", "1", "destination", "/topic/news"))
	news := stomp.NewFrame(stomp.CommandSend, "destination", "/topic/news")
	news.Body.AppendString("something happened")
	send(publisher, news)
	require.Equal(t, []string{"MESSAGE something happened"}, got)
	send(subscriber, stomp.NewFrame(stomp.CommandDisconnect))
	n.RunPending()
	require.True(t, subscriber.Closed())
}
