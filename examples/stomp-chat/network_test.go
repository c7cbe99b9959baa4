package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
)

// listen runs the chat on a free port for the length of the test and gives its address.
func listen(t *testing.T) string {
	t.Helper()
	routes, err := new(chat).routes()
	require.NoError(t, err)
	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: routes.Serve})}
	require.NoError(t, server.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.NoError(t, <-served)
	})
	return server.Addrs()[0].String()
}

// The handlers of a client are those that it has over TCP: websocket.Dialer puts a Stream in front of them.
func TestFramesTravelOverTheNetwork(t *testing.T) {
	addr := listen(t)
	loops := transport.Client{Loops: 1}
	defer func() { require.NoError(t, loops.Close()) }()
	dialer := websocket.Dialer{
		Plain: loops.Dial, Target: "/chat", Protocols: []string{"v12.stomp"}, Text: true,
		Config: websocket.Config{Limits: websocket.Limits{Frame: 4 << 20}},
	}
	parent, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	frames := make(chan *stomp.Frame, 8)
	ch, err := dialer.Dial(parent, addr, func(ch *pipeline.Channel) error {
		state := &stomp.State{}
		return ch.Pipeline().AddLast(
			codec.NewDecoder[any](&stomp.Decoder{State: state}),
			codec.NewEncoder[any](&stomp.Encoder{State: state}),
			pipeline.OnRead(func(_ *pipeline.Context, f *stomp.Frame) error {
				frames <- f // there is room for all
				return nil
			}),
		)
	})
	require.NoError(t, err)
	ask := func(f *stomp.Frame, answer stomp.Command) *stomp.Frame {
		t.Helper()
		require.NoError(t, ch.Write(parent, f))
		select {
		case f := <-frames:
			require.Equal(t, answer, f.Command)
			t.Cleanup(f.Release)
			return f
		case <-parent.Done():
			require.NoError(t, parent.Err())
			return nil
		}
	}
	ask(stomp.NewFrame(stomp.CommandConnect, "accept-version", "1.2", "host", "chat", "login", "Ann"), stomp.CommandConnected)
	ask(stomp.NewFrame(stomp.CommandSubscribe, "id", "1", "destination", "/topic/chat.lobby", "receipt", "r"), stomp.CommandReceipt)
	for _, size := range []int{0, 1, 100, 100_000, maxBody} {
		body := make([]byte, size)
		for i := range body {
			body[i] = 'a' + byte(i%26)
		}
		send := stomp.NewFrame(stomp.CommandSend, "destination", "/topic/chat.lobby", "content-type", "text/plain")
		send.Body.AppendBytes(body)
		got := ask(send, stomp.CommandMessage)
		require.True(t, string(body) == got.Body.String(), "%d octets", size) //nolint:testifylint // they would be printed
	}
	ask(stomp.NewFrame(stomp.CommandDisconnect, "receipt", "bye"), stomp.CommandReceipt)
	require.Eventually(t, ch.Closed, 10*time.Second, time.Millisecond)
}
