// Command http-interop is the server that other people's HTTP programs are tested against: it answers in every way there
// is. The tests with curl, wrk, ab, Node, Python and HAProxy are built with -tags interop.
//
//	go run ./examples/http-interop              # or: ADDRESS FOLDER instead of tcp://127.0.0.1:8083 and the working one
//	curl -T go.sum -H 'Expect: 100-continue' http://127.0.0.1:8083/sum
//	curl -r 0-99 http://127.0.0.1:8083/files/go.sum
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

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "http-interop:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	addr, folder := "tcp://127.0.0.1:8083", "."
	if len(args) > 0 {
		addr = args[0]
	}
	if len(args) > 1 {
		folder = args[1]
	}
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	server, err := newServer(root)
	if err != nil {
		return err
	}
	if err = server.Listen(parent, addr); err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", server.Addrs()[0])
	return server.Serve(parent)
}

// newServer is a server of everything that handle.go has, and of the files below root.
func newServer(root *os.Root) (*transport.Server, error) {
	files := httpx.NewFiles(root)
	files.Param, files.Precompressed = "path", []string{"gzip"}
	var router httpx.Router
	for pattern, f := range map[string]httpx.HandlerFunc{
		"/hello":               hello,
		"/late":                late,
		"/sum":                 sum,
		"/small":               small,
		"/echo":                echo,
		"GET /stream":          stream,
		"/early":               early,
		"/upgrade":             upgrade,
		"/memory":              memory,
		"GET /files/{path...}": files.Serve,
	} {
		if err := router.Handle(pattern, f); err != nil {
			return nil, err
		}
	}
	return &transport.Server{Init: httpx.Init(httpx.ServerConfig{
		Handle:   router.Serve,
		Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{&httpx.Compressor{}} },
	})}, nil
}
