package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// greeter runs a server until the function is called.
func greeter() (address string, stop func()) {
	server := &transport.Server{Init: httpx.Init(httpx.ServerConfig{
		Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.RespondText(200, "hello "+string(x.Request.Path()))
		},
	})}
	if err := server.Listen(context.Background(), "tcp://127.0.0.1:0"); err != nil {
		panic(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background()) }()
	return server.Addrs()[0].String(), func() {
		closeThem(server)
		<-served
	}
}

func closeThem(all ...io.Closer) {
	for _, c := range all {
		c.Close()
	}
}

func ExampleClient_Do() {
	address, stop := greeter()
	defer stop()
	dialer := &transport.Client{}
	client := &httpx.Client{Dial: dialer.Dial}
	defer closeThem(client, dialer)

	r, err := client.Do(context.Background(), httpx.NewFullRequest(httpx.MethodGet, "http://"+address+"/world"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Release()
	fmt.Printf("%d %s\n", r.Status, r.Body())
	// Output: 200 hello /world
}

// A handler asks another server and answers with what that says, on the event loop.
func ExampleClient_Start() {
	address, stop := greeter()
	defer stop()
	dialer := &transport.Client{}
	client := &httpx.Client{Dial: dialer.Dial}
	defer closeThem(client, dialer)

	ask := func(ctx *pipeline.Context, x *httpx.Exchange) error {
		call := httpx.Collect(0, func(r *httpx.FullResponse, err error) {
			if err != nil {
				_ = x.RespondText(502, "no answer\n") // the client may have left
				return
			}
			defer r.Release()
			_ = x.RespondText(200, "it says: "+string(r.Body()))
		})
		x.OnGone(func(cause error) { call.Cancel(cause) })
		return client.Start(ctx, httpx.NewFullRequest(httpx.MethodGet, "http://"+address+"/there"), call)
	}

	front := &transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: ask})}
	if err := front.Listen(context.Background(), "tcp://127.0.0.1:0"); err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error, 1)
	go func() { served <- front.Serve(context.Background()) }()
	r, err := client.Do(context.Background(), httpx.NewFullRequest(httpx.MethodGet, "http://"+front.Addrs()[0].String()+"/"))
	if err == nil {
		fmt.Printf("%d %s\n", r.Status, r.Body())
		r.Release()
	}
	fmt.Println(errors.Join(err, front.Close(), <-served))
	// Output:
	// 200 it says: hello /there
	// <nil>
}

// Stream sends a body in pieces, as long as the server takes them.
func ExampleClient_Stream() {
	upload := func(ctx *pipeline.Context, client *httpx.Client, pieces [][]byte) error {
		call := &httpx.Call{
			OnResponse: func(r *httpx.Response) error {
				defer r.Release()
				fmt.Println("stored:", r.Status)
				return nil
			},
			OnEnd: func(err error) { fmt.Println("end:", err) },
		}
		send := func() {
			for len(pieces) > 0 && call.Writable() {
				if err := call.WriteBytes(pieces[0]); err != nil {
					call.Cancel(err)
					return
				}
				if pieces = pieces[1:]; len(pieces) == 0 {
					_ = call.End() // what went wrong is told by OnEnd
				}
			}
		}
		call.OnWritable = send
		req := httpx.NewRequest(httpx.MethodPut, "http://files.example/report")
		req.Length = httpx.LengthChunked
		if err := client.Stream(ctx, req, call); err != nil {
			return err
		}
		send()
		return nil
	}
	_ = upload // called by a handler
}

func ExampleProxy() {
	dialer := &transport.Client{}
	defer closeThem(dialer)
	proxy := httpx.Proxy{Address: "proxy.example:3128", User: "me", Password: "secret"}
	client := &httpx.Client{Dial: proxy.Dial(dialer.Dial)}
	fmt.Println(client.Close())
	// Output: <nil>
}
