// Command quote is a price board: whoever sends it a quote gets back by how much the price has changed
// since the last one. It shows a codec and a typed handler.
//
//	go run ./examples/quote                     # or with -addr 127.0.0.1:7001, the default
//	printf '\004ACME\0\0\0\0\0\0\0\144' | nc -w 1 127.0.0.1 7001 | od -c
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// Board remembers the last price of each symbol. One board serves all connections, on all event loops.
type Board struct {
	mu   sync.Mutex
	last map[string]uint64
}

// NewBoard is a board without prices.
func NewBoard() *Board { return &Board{last: make(map[string]uint64)} }

// open fills the pipeline of a new connection.
func (b *Board) open(ch *pipeline.Channel) error {
	return ch.Pipeline().AddLast(
		codec.NewDecoder(QuoteCodec{}), codec.NewEncoder(QuoteCodec{}), pipeline.OnRead(b.quote))
}

// quote answers one quote; a falling price wraps around, as two's complement.
func (b *Board) quote(ctx *pipeline.Context, q *Quote) error {
	b.mu.Lock()
	old := b.last[q.Symbol]
	b.last[q.Symbol] = q.Cents
	b.mu.Unlock()
	return ctx.Write(&Quote{q.Symbol, q.Cents - old})
}

func main() {
	addr := flag.String("addr", "127.0.0.1:7001", "address to listen on")
	flag.Parse()
	if err := serve(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "quote:", err)
		os.Exit(1)
	}
}

// serve answers quotes on addr until the process is told to end.
func serve(addr string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := transport.Server{Init: NewBoard().open}
	if err := server.Listen(parent, "tcp://"+addr); err != nil {
		return err
	}
	fmt.Println("listening on", server.Addrs()[0])
	return server.Serve(parent)
}
