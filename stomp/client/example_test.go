package client_test

import (
	"context"
	"fmt"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
	"github.com/penstock-go/penstock/stomp/server"
)

// A client connects, subscribes, sends a message to itself, and leaves.
func Example() {
	parent := context.Background()
	at, stop := runServer(parent)
	defer stop()

	dialer := &transport.Client{Loops: 1}
	defer func() { _ = dialer.Close() }() // returns nil
	c := &client.Client{Dial: dialer.Dial, Address: at, Login: "guest", Passcode: "guest"}
	if err := c.Connect(parent); err != nil {
		fmt.Println(err)
		return
	}
	bodies := make(chan string, 1)
	err := c.Subscribe(parent, &client.Subscription{
		Destination: "/queue/orders",
		Handle:      func(_ *pipeline.Context, m *client.Message) { bodies <- m.Body().String() },
	})
	fmt.Println("subscribed:", err)

	order := stomp.NewFrame(stomp.CommandSend, stomp.HeaderDestination, "/queue/orders", stomp.HeaderContentType, "text/plain")
	order.Body.AppendString("two of those")
	fmt.Println("confirmed:", c.SendReceipt(parent, order))
	fmt.Println("received:", <-bodies)
	fmt.Println("closed:", c.Close(parent))
	// Output:
	// subscribed: <nil>
	// confirmed: <nil>
	// received: two of those
	// closed: <nil>
}

// runServer runs a server on a free port.
func runServer(parent context.Context) (at string, stop func()) {
	s := &transport.Server{Loops: 1, Init: func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(installer{}) }}
	if err := s.Listen(parent, "tcp://127.0.0.1:0"); err != nil {
		panic(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(parent) }()
	return s.Addrs()[0].String(), func() { _ = s.Close(); <-served }
}

// installer puts a session of the server into a pipeline.
type installer struct{}

func (installer) HandleAdded(ctx *pipeline.Context) error {
	return server.Install(ctx, server.Config{})
}
