package transport_test

import (
	"context"
	"fmt"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// A server that sends back what it gets, and a client that talks to it.
func Example() {
	server := transport.Server{Init: func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
			return ctx.Write(b)
		}))
	}}
	parent, stop := context.WithCancel(context.Background())
	defer stop()
	if err := server.Listen(parent, "tcp://127.0.0.1:0"); err != nil {
		fmt.Println(err)
		return
	}
	done := make(chan error)
	go func() { done <- server.Serve(parent) }()

	var client transport.Client
	answers := make(chan string)
	ch, err := client.Dial(parent, server.Addrs()[0].String(), func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnLend(func(_ *pipeline.Context, b *buffer.Buffer) error {
			answers <- string(b.Bytes())
			return nil
		}))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ch.Write(parent, buffer.FromString("hello")); err != nil {
		fmt.Println(err)
	}
	fmt.Println(<-answers)

	_ = client.Close() // it never fails
	stop()
	fmt.Println(<-done)
	// Output:
	// hello
	// <nil>
}
