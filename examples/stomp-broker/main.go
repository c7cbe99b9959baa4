// Command stomp-broker passes messages on between STOMP clients: queues and topics in memory, with acknowledgements,
// transactions and heart-beats, over TCP and over WebSocket on the same port.
//
//	go run ./examples/stomp-broker            # or with another address than tcp://127.0.0.1:61613
//
// Destinations that begin with /queue/ are queues, all others topics. Web pages connect to ws://127.0.0.1:61613/ with one
// of the subprotocols v12.stomp, v11.stomp and v10.stomp.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

func main() {
	addr := "tcp://127.0.0.1:61613"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := serve(addr); err != nil {
		fmt.Fprintln(os.Stderr, "stomp-broker:", err)
		os.Exit(1)
	}
}

func serve(addr string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	srv := transport.Server{Init: connections(&broker.Broker{})}
	if err := srv.Listen(parent, addr); err != nil {
		return err
	}
	fmt.Printf("STOMP at %s, over WebSocket at ws://%[1]s/; stop with Ctrl-C\n", srv.Addrs()[0])
	return srv.Serve(parent)
}

// connections sets each connection up as what its first octets say: STOMP, or HTTP, which becomes STOMP over WebSocket.
func connections(b *broker.Broker) func(*pipeline.Channel) error {
	web := &websocket.Upgrader{Config: websocket.Config{Limits: websocket.Limits{Frame: 8 << 20, Message: 8 << 20}}}
	for v := stomp.Version12; v >= stomp.Version10; v-- {
		cfg := server.Config{
			Broker: b, Versions: []stomp.Version{v},
			WrapFrame: func(f *stomp.Frame, encoded any) (any, error) {
				return websocket.MessageOf(f.Headers.Get(stomp.HeaderContentType), encoded)
			},
		}
		web.Protocols = append(web.Protocols, websocket.Protocol{
			Name: v.Subprotocol(), Stream: true, Text: true,
			Install: func(ctx *pipeline.Context) error { return server.Install(ctx, cfg) },
		})
	}
	rules := []handlers.Rule{
		{Name: "STOMP", Match: server.Match, Install: func(ctx *pipeline.Context) error {
			return server.Install(ctx, server.Config{Broker: b})
		}},
		{Name: "HTTP", Match: httpx.Match, Install: func(ctx *pipeline.Context) error {
			return httpx.Install(ctx, httpx.ServerConfig{Handle: web.Handle})
		}},
	}
	return func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&handlers.Detect{Rules: rules}) }
}
