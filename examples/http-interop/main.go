// Command http-interop is the server that other people's HTTP programs are tested against: it answers in every way there
// is. The tests with curl, wrk, ab, Node, Python and HAProxy are built with -tags interop.
//
//	go run ./examples/http-interop              # or with another address than tcp://127.0.0.1:8083
//	curl -T go.sum -H 'Expect: 100-continue' http://127.0.0.1:8083/sum
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
	addr := "tcp://127.0.0.1:8083"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := run(addr); err != nil {
		fmt.Fprintln(os.Stderr, "http-interop:", err)
		os.Exit(1)
	}
}

func run(addr string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := newServer()
	if err := server.Listen(parent, addr); err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", server.Addrs()[0])
	return server.Serve(parent)
}

func newServer() *transport.Server {
	return &transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: handle})}
}
