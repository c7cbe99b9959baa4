// Command http-static serves the files of a folder.
//
//	go run ./examples/http-static .             # and another address than tcp://127.0.0.1:8088 behind it, if wanted
//	curl -r 0-99 http://127.0.0.1:8088/README.md
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: http-static FOLDER [ADDRESS]")
		os.Exit(2)
	}
	if err := serve(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "http-static:", err)
		os.Exit(1)
	}
}

func serve(folder string, addrs []string) (err error) {
	if len(addrs) == 0 {
		addrs = []string{"tcp://127.0.0.1:8088"}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := transport.Server{Init: initFiles(root)}
	if err := server.Listen(parent, addrs...); err != nil {
		return err
	}
	for _, a := range server.Addrs() {
		fmt.Printf("http://%s/\n", a)
	}
	return server.Serve(parent)
}

// initFiles sets up connections that get the files of root; a.txt.gz is sent for a.txt to those who take it.
func initFiles(root *os.Root) func(*pipeline.Channel) error {
	files := httpx.NewFiles(root)
	files.Precompressed = []string{"zstd", "gzip"}
	return httpx.Init(httpx.ServerConfig{Handle: files.Serve})
}
