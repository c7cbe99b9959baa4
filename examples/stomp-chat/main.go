// Command stomp-chat is a page of rooms to talk in: STOMP over WebSocket from the browser, with texts and pictures.
//
//	go run ./examples/stomp-chat            # http://127.0.0.1:8089/, or another address than tcp://127.0.0.1:8089
//
// The page uses @stomp/stompjs, which the program brings along. Other clients connect to ws://127.0.0.1:8089/chat with
// one of the subprotocols v12.stomp, v11.stomp and v10.stomp; each topic /topic/chat.ROOM is a room.
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
	addr := "tcp://127.0.0.1:8089"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := serve(addr); err != nil {
		fmt.Fprintln(os.Stderr, "stomp-chat:", err)
		os.Exit(1)
	}
}

func serve(addr string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	routes, err := new(chat).routes()
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
