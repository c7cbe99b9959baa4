package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/go-netty/go-netty"
	"github.com/go-netty/go-netty/codec/xhttp"
	"github.com/lesismal/nbio/logging"
	"github.com/lesismal/nbio/nbhttp"
)

func serveNetHTTP(ctx context.Context) error {
	l, err := listenHTTP()
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: plaintext{}}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func serveNbio(ctx context.Context) error {
	logging.SetLevel(logging.LevelError)
	addr, err := freeAddress()
	if err != nil {
		return err
	}
	engine := nbhttp.NewEngine(nbhttp.Config{Network: "tcp", Addrs: []string{addr}, NPoller: 1, Handler: plaintext{}})
	if err := engine.Start(); err != nil {
		return err
	}
	fmt.Println("address", addr)
	<-ctx.Done()
	engine.Stop()
	return nil
}

// serveGoNetty uses its HTTP codec and its adapter of handlers, with its default channel and transport.
func serveGoNetty(ctx context.Context) error {
	var date atomic.Pointer[[]string]
	everySecond(ctx, func(now string) { date.Store(&[]string{now}) })
	b := netty.NewBootstrap(netty.WithChildInitializer(func(ch netty.Channel) {
		ch.Pipeline().AddLast(xhttp.ServerCodec()).AddLast(xhttp.Handler(plaintext{&date}))
	}))
	addr, err := freeAddress()
	if err != nil {
		return err
	}
	l := b.Listen("tcp://" + addr)
	ended := make(chan error, 1)
	l.Async(func(err error) { ended <- err })
	if err := waitFor(addr); err != nil {
		return err
	}
	fmt.Println("address", addr)
	<-ctx.Done()
	b.Shutdown()
	if err := <-ended; !errors.Is(err, netty.ErrServerClosed) {
		return err
	}
	return nil
}
