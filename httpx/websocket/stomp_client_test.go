package websocket_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
	"github.com/penstock-go/penstock/stomp/server"
)

// kinds notes the messages that pass towards the socket, in front of a Stream.
type kinds struct{ sent []string }

func (k *kinds) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if m, ok := msg.(*websocket.Message); ok {
		text, _, _ := strings.Cut(string(m.Bytes()), "\n")
		kind := "binary "
		if m.Type == websocket.TypeText {
			kind = "text "
		}
		k.sent = append(k.sent, kind+text)
	}
	return ctx.Forward(msg, p)
}

// A STOMP client takes a Dialer as it is, and its hooks make one message of each frame.
func TestSTOMPClientRunsOverWebSocket(t *testing.T) {
	u := &websocket.Upgrader{Protocols: []websocket.Protocol{{
		Name: "v12.stomp", Stream: true, Install: func(ctx *pipeline.Context) error { return server.Install(ctx, server.Config{}) },
	}}}
	n := newNetwork(t)
	n.Listen("server:80", httpx.Init(httpx.ServerConfig{Handle: u.Handle}))
	var noted kinds
	d := &websocket.Dialer{Plain: n.Dial, Protocols: []string{"v12.stomp", "v11.stomp", "v10.stomp"}, Target: "/stomp"}
	c := &client.Client{
		Address: "ws://server/stomp", HeartBeat: stomp.HeartBeat{Send: -1, Receive: -1}, Reconnect: client.Reconnect{Attempts: -1},
		WrapFrame: func(f *stomp.Frame, encoded any) (any, error) {
			return websocket.MessageOf(f.Headers.Get(stomp.HeaderContentType), encoded)
		},
		WrapEOL: func(encoded any) (any, error) { return websocket.MessageOf("text/plain", encoded) },
	}
	var attempt func()
	c.Reconnect.After = func(_ time.Duration, f func()) func() bool {
		attempt = f
		return func() bool { return true }
	}
	c.Dial = func(parent context.Context, address string, init func(*pipeline.Channel) error) (*pipeline.Channel, error) {
		return d.Dial(parent, address, func(ch *pipeline.Channel) error {
			if err := ch.Pipeline().AddLast(&noted); err != nil {
				return err
			}
			return init(ch)
		})
	}
	require.NoError(t, c.Start())
	attempt()
	n.RunPending()
	require.Equal(t, stomp.Version12, c.Version())

	var got []string
	require.NoError(t, c.StartSubscribe(&client.Subscription{Destination: "/queue/a", Handle: func(_ *pipeline.Context, m *client.Message) {
		got = append(got, m.Header("content-type")+" "+m.Body().String()[:3])
	}}, nil))
	for _, media := range []string{"text/plain", "application/json", "image/png"} {
		f := stomp.NewFrame(stomp.CommandSend, stomp.HeaderDestination, "/queue/a", stomp.HeaderContentType, media)
		f.Body.AppendBuffer(buffer.FromString(strings.Repeat("abc", 10_000))) // by reference, and one message all the same
		require.NoError(t, c.StartSend(f, nil))
	}
	n.RunPending()
	require.Equal(t, []string{"text/plain abc", "application/json abc", "image/png abc"}, got)
	require.Equal(t, []string{"binary CONNECT", "binary SUBSCRIBE", "text SEND", "text SEND", "binary SEND"}, noted.sent)
	var closed error
	c.StartClose(func(err error) { closed, got = err, nil })
	n.RunPending()
	require.NoError(t, closed)
	require.Empty(t, got)
}

// Over sockets Dial waits for the handshake, and a connection that is lost is replaced by another handshake.
func TestSTOMPClientConnectsAgainOverWebSocket(t *testing.T) {
	u := &websocket.Upgrader{Protocols: []websocket.Protocol{{
		Name: "v12.stomp", Stream: true, Install: func(ctx *pipeline.Context) error { return server.Install(ctx, server.Config{}) },
	}}}
	at := serve(t, u)
	plain := &transport.Client{Loops: 1}
	d := &websocket.Dialer{Plain: plain.Dial, Protocols: []string{"v12.stomp"}}
	c := &client.Client{
		Dial: d.Dial, Address: "ws://" + at + "/", MaxOffline: 1, Resend: true,
		HeartBeat: stomp.HeartBeat{Send: 10 * time.Millisecond, Receive: time.Second},
		Reconnect: client.Reconnect{Min: time.Millisecond, Max: time.Millisecond},
		WrapEOL:   func(encoded any) (any, error) { return websocket.MessageOf("text/plain", encoded) },
	}
	require.NoError(t, c.Connect(t.Context()))
	bodies := make(chan string, 1)
	require.NoError(t, c.Subscribe(t.Context(), &client.Subscription{
		Destination: "/queue/a", Handle: func(_ *pipeline.Context, m *client.Message) { bodies <- m.Body().String() },
	}))
	for _, body := range []string{"first", "second", "third"} {
		f := stomp.NewFrame(stomp.CommandSend, stomp.HeaderDestination, "/queue/a")
		f.Body.AppendString(body)
		require.NoError(t, c.SendReceipt(t.Context(), f))
		require.Equal(t, body, <-bodies)
		connected := c.Stats().Connected
		for _, ch := range plain.Channels().Channels() {
			ch.CloseWith(pipeline.CloseReset, nil)
		}
		require.Eventually(t, func() bool { return c.Stats().Connected > connected }, 10*time.Second, time.Millisecond)
	}
	require.NoError(t, c.Close(t.Context()))
	require.NoError(t, plain.Close())
}
