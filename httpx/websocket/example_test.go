package websocket_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// A server that sends messages back, and a client of it. A real one has transport.Server and transport.Client in the
// place of the network in memory.
func Example() {
	echo := websocket.Protocol{Install: func(ctx *pipeline.Context) error {
		return ctx.AddAfter(pipeline.OnRead(func(ctx *pipeline.Context, m *websocket.Message) error {
			return ctx.Write(m) // takes m, and so does Write
		}))
	}}
	upgrader := &websocket.Upgrader{Protocols: []websocket.Protocol{echo}, Deflate: &websocket.Deflate{}}

	network := embedded.NewNetwork(embedded.Config{})
	network.Listen("localhost:80", httpx.Init(httpx.ServerConfig{Handle: upgrader.Handle}))

	dialer := &websocket.Dialer{Plain: network.Dial, Messages: true, Deflate: &websocket.Deflate{}}
	ch, err := dialer.Dial(context.Background(), "ws://localhost/echo", func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnLend(func(ctx *pipeline.Context, m *websocket.Message) error {
			fmt.Println(m.Text())
			ctx.Close() // says so to the server first
			return nil
		}))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = ch.Send(websocket.NewText("hello"), nil)
	network.RunPending()
	fmt.Println(err, ch.Closed())
	// Output:
	// hello
	// <nil> true
}

// Lines over WebSocket: the handlers of the protocol are those that it has over TCP.
func ExampleStream() {
	shout := func(ctx *pipeline.Context) error {
		return ctx.AddAfter(codec.NewDecoder(&codec.Line{}), codec.NewEncoder[any](codec.LineEncoder{}),
			pipeline.OnLend(func(ctx *pipeline.Context, line *buffer.Buffer) error {
				return ctx.Write(buffer.FromString(strings.ToUpper(string(line.Bytes()))))
			}))
	}
	upgrader := &websocket.Upgrader{Protocols: []websocket.Protocol{{Name: "shout", Stream: true, Text: true, Install: shout}}}

	network := embedded.NewNetwork(embedded.Config{})
	network.Listen("localhost:80", httpx.Init(httpx.ServerConfig{Handle: upgrader.Handle}))

	dialer := &websocket.Dialer{Plain: network.Dial, Protocols: []string{"shout"}}
	ch, err := dialer.Dial(context.Background(), "ws://localhost/", func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(codec.NewDecoder(&codec.Line{}), pipeline.OnLend(
			func(_ *pipeline.Context, line *buffer.Buffer) error {
				fmt.Println(string(line.Bytes()))
				return nil
			}))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = ch.Send(buffer.FromString("hello\nwor"), nil) // the network in memory loses nothing
	_ = ch.Send(buffer.FromString("ld\n"), nil)
	network.RunPending()
	// Output:
	// HELLO
	// WORLD
}

// One message for all connections, encoded once.
func ExamplePrepare() {
	var group pipeline.Group
	upgrader := &websocket.Upgrader{Protocols: []websocket.Protocol{{Install: func(ctx *pipeline.Context) error {
		group.Add(ctx.Channel())
		return nil
	}}}}
	network := embedded.NewNetwork(embedded.Config{})
	network.Listen("localhost:80", httpx.Init(httpx.ServerConfig{Handle: upgrader.Handle}))
	dialer := &websocket.Dialer{Plain: network.Dial, Messages: true}
	for i := range 3 {
		_, err := dialer.Dial(context.Background(), "ws://localhost/", func(ch *pipeline.Channel) error {
			return ch.Pipeline().AddLast(pipeline.OnLend(func(_ *pipeline.Context, m *websocket.Message) error {
				fmt.Println(i, m.Text())
				return nil
			}))
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	news, err := websocket.Prepare(websocket.NewText("news"))
	if err != nil {
		fmt.Println(err)
		return
	}
	group.Broadcast(news) // takes it
	network.RunPending()
	// Unordered output:
	// 0 news
	// 1 news
	// 2 news
}
