// Command http-hello answers every request with a greeting, until it is interrupted.
//
//	go run ./examples/http-hello                # or with other addresses than tcp://127.0.0.1:8081
//	curl -i http://127.0.0.1:8081/
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func hello(_ *pipeline.Context, x *httpx.Exchange) error {
	return x.RespondText(200, "Hello, World!\n")
}

func main() {
	addrs := os.Args[1:]
	if len(addrs) == 0 {
		addrs = []string{"tcp://127.0.0.1:8081"}
	}
	if err := serve(addrs); err != nil {
		fmt.Fprintln(os.Stderr, "http-hello:", err)
		os.Exit(1)
	}
}

func serve(addrs []string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: hello})}
	if err := server.Listen(parent, addrs...); err != nil {
		return err
	}
	for _, a := range server.Addrs() {
		fmt.Printf("http://%s/\n", a)
	}
	return server.Serve(parent)
}
