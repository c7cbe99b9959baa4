// Command hub serves a status page over HTTP, keeps it up to date over WebSocket, and passes messages on between STOMP
// clients, over TCP and over WebSocket, all on one TCP port: it tells the protocols apart by their first bytes.
//
//	go run ./examples/hub                       # http://127.0.0.1:8080/, or another port when that is taken
//	go run ./examples/hub -addr 127.0.0.1:0 -demo=false
//
// The page shows connections, destinations with their backlogs, and each message to a topic /topic/...; it sends, too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

const defaultAddr = "127.0.0.1:8080"

func main() {
	if err := command(); err != nil {
		fmt.Fprintln(os.Stderr, "hub:", err)
		os.Exit(1)
	}
}

func command() error {
	addr := flag.String("addr", "", "address to listen on (default "+defaultAddr+", or a free port when that is taken)")
	withDemo := flag.Bool("demo", true, "let the hub talk to itself for ten seconds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var d *demo
	if *withDemo {
		d = &demo{count: 20, every: 500 * time.Millisecond, out: os.Stdout}
	}
	return run(ctx, *addr, d)
}

// run serves until ctx ends, then drains. d is the demo at the beginning; nil = none.
func run(ctx context.Context, addr string, d *demo) error {
	h, err := newHub()
	if err != nil {
		return err
	}
	bound, err := listen(ctx, h, addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", bound)
	fmt.Printf("STOMP 1.0 to 1.2 on the same port, and over WebSocket at ws://%s/stomp\n", bound)
	fmt.Printf("status as JSON under /status.json; stop with Ctrl-C\n")
	served := make(chan error, 1)
	go func() { served <- h.server.Serve(ctx) }()
	live, stop := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() { h.tell(live, time.Second) })
	defer telling.Wait()
	defer stop()
	if d != nil {
		d.addr = bound.String()
		if err := d.run(ctx); err != nil && ctx.Err() == nil {
			return errors.Join(fmt.Errorf("demo: %w", err), h.server.Close(), <-served)
		}
	}
	err = <-served
	h.broker.Close()
	fmt.Println("drained, bye")
	return err
}

// listen binds addr. The default port may be taken: then a free one serves as well, and that is said.
func listen(ctx context.Context, h *hub, addr string) (net.Addr, error) {
	wanted := addr
	if wanted == "" {
		wanted = defaultAddr
	}
	if !strings.Contains(wanted, "://") {
		wanted = "tcp://" + wanted
	}
	err := h.server.Listen(ctx, wanted)
	if addr == "" && errors.Is(err, syscall.EADDRINUSE) {
		fmt.Printf("%s is taken, using a free port\n", wanted)
		err = h.server.Listen(ctx, "tcp://127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	return h.server.Addrs()[0], nil
}
