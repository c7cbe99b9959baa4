// Command echo sends back every byte it gets, until it is interrupted.
//
//	go run ./examples/echo                      # or with other addresses than tcp://127.0.0.1:7007
//	nc 127.0.0.1 7007
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// defaultAddress is also the one of the README's echo server.
const defaultAddress = "tcp://127.0.0.1:7007"

func echo(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }

func main() {
	addrs := os.Args[1:]
	if len(addrs) == 0 {
		addrs = []string{defaultAddress}
	}
	if err := serve(addrs); err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

// serve echoes on the addresses until the process is told to end.
func serve(addrs []string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := transport.Server{Init: func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnRead(echo))
	}}
	if err := server.Listen(parent, addrs...); err != nil {
		return err
	}
	for _, a := range server.Addrs() {
		fmt.Println("listening on", a)
	}
	return server.Serve(parent)
}
