package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/panjf2000/gnet/v2"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// The kinds of echo servers; those of HTTP are in httpserve.go. Those called codec echo frames of a 4-byte length through a decoder and an encoder.
const (
	kindPenstock = "penstock"
	kindCodec    = "penstock-codec"
	kindIdle     = "penstock-idle"
	kindGnet     = "gnet"
	kindNet      = "net"
)

// runServer serves until SIGTERM; SIGUSR1 collects garbage and gives memory back first. The address goes to
// standard output first.
func runServer(kind string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	collect := make(chan os.Signal, 1)
	signal.Notify(collect, syscall.SIGUSR1)
	go func() {
		for range collect {
			debug.FreeOSMemory()
			fmt.Println("collected")
		}
	}()
	if serve := httpServers[kind]; serve != nil {
		return serve(ctx)
	}
	switch kind {
	case kindPenstock:
		return servePenstock(ctx, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(&echo{}) })
	case kindCodec:
		return servePenstock(ctx, openCodec)
	case kindIdle:
		return servePenstock(ctx, openFive)
	case kindGnet:
		return serveGnet(ctx)
	case kindNet:
		return serveNet(ctx)
	}
	return fmt.Errorf("unknown kind of server %q", kind)
}

// echo writes back what it reads.
type echo struct{}

// HandleRead sends the buffer back.
func (*echo) HandleRead(ctx *pipeline.Context, msg any) error { return ctx.Write(msg) }

// pass is a handler that only passes on.
type pass struct{}

// HandleRead passes on.
func (*pass) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.FireRead(msg)
	return nil
}

func openCodec(ch *pipeline.Channel) error {
	return ch.Pipeline().AddLast(
		codec.NewDecoder(&codec.LengthField{Strip: 4, MaxBytes: 2 << 20}),
		codec.NewEncoder(&codec.LengthPrefix{}),
		pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }))
}

// openFive is the pipeline of the memory figures: five handlers, a decoder among them.
func openFive(ch *pipeline.Channel) error {
	return ch.Pipeline().AddLast(&pass{},
		codec.NewDecoder(&codec.LengthField{Strip: 4, MaxBytes: 2 << 20}),
		codec.NewEncoder(&codec.LengthPrefix{}),
		&pass{},
		pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }))
}

func servePenstock(ctx context.Context, open func(*pipeline.Channel) error) error {
	srv := transport.Server{Init: open, Loops: 1, MaxConns: 30_000, MaxPerAddress: 30_000}
	if err := srv.Listen(ctx, "tcp://127.0.0.1:0"); err != nil {
		return err
	}
	fmt.Println("address", srv.Addrs()[0])
	return srv.Serve(ctx)
}

// gnetEcho is gnet's own echo, as in its README.
type gnetEcho struct {
	gnet.BuiltinEventEngine
	engine chan gnet.Engine
}

// OnBoot hands the engine out.
func (e *gnetEcho) OnBoot(engine gnet.Engine) gnet.Action {
	e.engine <- engine
	return gnet.None
}

// OnTraffic writes back what was read.
func (e *gnetEcho) OnTraffic(c gnet.Conn) gnet.Action {
	p, err := c.Next(-1)
	if err == nil {
		_, err = c.Write(p)
	}
	if err != nil {
		return gnet.Close
	}
	return gnet.None
}

func serveGnet(ctx context.Context) error {
	h := &gnetEcho{engine: make(chan gnet.Engine, 1)}
	return runGnet(ctx, h, h.engine)
}

// runGnet runs h, which sends its engine when it has one, until ctx ends.
func runGnet(ctx context.Context, h gnet.EventHandler, engines <-chan gnet.Engine) error {
	addr, err := freeAddress()
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- gnet.Run(h, "tcp://"+addr, gnet.WithNumEventLoop(1), gnet.WithReuseAddr(true)) }()
	engine := <-engines
	fmt.Println("address", addr)
	<-ctx.Done()
	return errors.Join(engine.Stop(context.Background()), <-ended)
}

// freeAddress is one that nobody listens on, for servers that do not tell which port they were given.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func serveNet(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("address", l.Addr())
	go func() {
		<-ctx.Done()
		_ = l.Close() // ends the loop below
	}()
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go func() {
			defer conn.Close()
			buf := make([]byte, 64<<10)
			for {
				n, err := conn.Read(buf)
				if err == nil {
					_, err = conn.Write(buf[:n])
				}
				if err != nil {
					return
				}
			}
		}()
	}
}
