// Echo sends back every byte it gets, until it is interrupted.
//
//	go run ./examples/echo tcp://127.0.0.1:7007
//	nc 127.0.0.1 7007
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func echo(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }

func main() {
	addrs := os.Args[1:]
	if len(addrs) == 0 {
		addrs = []string{"tcp://127.0.0.1:7007"}
	}
	if err := serve(addrs); err != nil {
		log.Fatal(err)
	}
}

// serve echoes on the addresses until the process is told to end.
func serve(addrs []string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := transport.Server{Init: func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnRead(echo))
	}}
	return server.ListenAndServe(parent, addrs...)
}
