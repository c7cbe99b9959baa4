package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// Any http.Handler runs on the event loop's connections.
func ExampleHandler() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "Hello, %s!", r.PathValue("name"))
	})

	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: nethttp.Handler(mux)})}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := server.Listen(ctx, "tcp://127.0.0.1:0"); err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()

	r, err := http.Get("http://" + server.Addrs()[0].String() + "/hello/world")
	if err != nil {
		fmt.Println(err)
		return
	}
	all, _ := io.ReadAll(r.Body)
	_ = r.Body.Close()
	fmt.Println(r.Status, string(all))

	http.DefaultClient.CloseIdleConnections()
	stop()
	fmt.Println(<-ended)
	// Output:
	// 200 OK Hello, world!
	// <nil>
}
