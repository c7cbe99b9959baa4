// Command websocket-chat is a room that everybody who opens its page talks in.
//
//	go run ./examples/websocket-chat            # or with another address than tcp://127.0.0.1:8085
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func main() {
	addr := "tcp://127.0.0.1:8085"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := serve(addr); err != nil {
		fmt.Fprintln(os.Stderr, "websocket-chat:", err)
		os.Exit(1)
	}
}

func serve(addr string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	routes, err := new(room).routes()
	if err != nil {
		return err
	}
	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: routes.Serve})}
	if err := server.Listen(parent, addr); err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", server.Addrs()[0])
	return server.Serve(parent)
}
