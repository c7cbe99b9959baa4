package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
	hertz "github.com/cloudwego/hertz/pkg/app/server"
	"github.com/cloudwego/hertz/pkg/common/hlog"
	"github.com/cloudwego/hertz/pkg/network/netpoll"
	"github.com/valyala/fasthttp"
)

func serveFastHTTP(ctx context.Context) error {
	l, err := listenHTTP()
	if err != nil {
		return err
	}
	srv := &fasthttp.Server{Name: answerServer, Handler: func(c *fasthttp.RequestCtx) {
		c.SetContentType(answerType)
		c.SetBodyString(answerBody)
	}}
	stop := context.AfterFunc(ctx, func() { _ = l.Close() }) // idle connections do not keep the process
	defer stop()
	if err := srv.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// serveHertz uses the netpoll transport, which has one poller for up to 20 processors.
func serveHertz(ctx context.Context) error {
	hlog.SetLevel(hlog.LevelFatal)
	addr, err := freeAddress()
	if err != nil {
		return err
	}
	h := hertz.New(hertz.WithHostPorts(addr), hertz.WithTransport(netpoll.NewTransporter),
		hertz.WithDisablePrintRoute(true), hertz.WithExitWaitTime(time.Millisecond))
	h.GET(httpPath, func(_ context.Context, c *app.RequestContext) {
		c.Response.Header.SetServerBytes([]byte(answerServer))
		c.SetContentType(answerType)
		c.SetBodyString(answerBody)
	})
	ended := make(chan error, 1)
	go func() { ended <- h.Run() }()
	if err := waitFor(addr); err != nil {
		return err
	}
	fmt.Println("address", addr)
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		_ = h.Close() // it waits for open connections and complains about them
		return nil
	}
}

// waitFor tries to connect until somebody listens: for servers that do not say when they do.
func waitFor(addr string) error {
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	var err error
	for range 500 {
		var conn net.Conn
		if conn, err = net.Dial("tcp", addr); err == nil {
			return conn.Close()
		}
		<-t.C
	}
	return err
}
