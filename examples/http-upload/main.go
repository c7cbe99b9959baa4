// Command http-upload stores what is sent to it, of any size, in little memory: a client that sends faster than the disk
// takes it is held back.
//
//	go run ./examples/http-upload               # or: ADDRESS FOLDER instead of tcp://127.0.0.1:8082 and a temporary one
//	curl -T some.file http://127.0.0.1:8082/
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
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "http-upload:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	addr := "tcp://127.0.0.1:8082"
	if len(args) > 0 {
		addr = args[0]
	}
	if len(args) > 1 {
		return serve(addr, args[1])
	}
	folder, err := os.MkdirTemp("", "http-upload-")
	if err != nil {
		return err
	}
	return serve(addr, folder)
}

func serve(addr, folder string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: uploads{folder}.handle})}
	if err := server.Listen(parent, addr); err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", server.Addrs()[0])
	fmt.Println("storing in", folder)
	return server.Serve(parent)
}

// uploads stores bodies as files of a folder.
type uploads struct{ folder string }

func (u uploads) handle(_ *pipeline.Context, x *httpx.Exchange) error {
	if x.Request.Method != httpx.MethodPut && x.Request.Method != httpx.MethodPost {
		return x.RespondText(405, "PUT or POST a file\n")
	}
	return u.store(x)
}
