// Command reverse-proxy passes requests on to another server, in little memory whichever side is slow.
//
//	go run ./examples/reverse-proxy             # or: ADDRESS BACKEND instead of tcp://127.0.0.1:8086 and 127.0.0.1:8081
//	go run ./examples/http-hello                # for example
//	curl -i http://127.0.0.1:8086/
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "reverse-proxy:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	addr, backend := "tcp://127.0.0.1:8086", "127.0.0.1:8081"
	if len(args) > 0 {
		addr = args[0]
	}
	if len(args) > 1 {
		backend = args[1]
	}
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve(parent, addr, backend)
}

func serve(parent context.Context, addr, backend string) error {
	dialer := &transport.Client{}
	p := &proxy{backend: backend, client: httpx.Client{Dial: dialer.Dial}}
	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: p.handle})}
	if err := server.Listen(parent, addr); err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", server.Addrs()[0])
	return errors.Join(server.Serve(parent), p.client.Close(), dialer.Close())
}
