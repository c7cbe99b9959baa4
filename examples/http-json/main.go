// Command http-json keeps notes in memory and speaks JSON over HTTP.
//
//	go run ./examples/http-json                 # or with another address than tcp://127.0.0.1:8084
//	curl -d '{"text":"buy milk"}' http://127.0.0.1:8084/notes
//	curl http://127.0.0.1:8084/notes/1
//	curl -X DELETE http://127.0.0.1:8084/notes/1
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
	addr := "tcp://127.0.0.1:8084"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := serve(addr); err != nil {
		fmt.Fprintln(os.Stderr, "http-json:", err)
		os.Exit(1)
	}
}

func serve(addr string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	routes, err := new(notes).routes()
	if err != nil {
		return err
	}
	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: routes.Serve})}
	if err := server.Listen(parent, addr); err != nil {
		return err
	}
	fmt.Printf("http://%s/notes\n", server.Addrs()[0])
	return server.Serve(parent)
}
