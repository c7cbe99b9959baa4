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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	srv := transport.Server{Init: func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(pipeline.OnRead(echo))
	}}
	addrs := os.Args[1:]
	if len(addrs) == 0 {
		addrs = []string{"tcp://127.0.0.1:7007"}
	}
	if err := srv.ListenAndServe(ctx, addrs...); err != nil {
		log.Fatal(err)
	}
}
