// Command chi runs routes and middleware of go-chi/chi, which knows only net/http, on event loops.
//
//	cd examples/with && go run ./chi            # or with another address than tcp://127.0.0.1:8087
//	curl -i http://127.0.0.1:8087/hello/you
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/nethttp"
	"github.com/penstock-go/penstock/pipeline/transport"
)

func main() {
	addr := "tcp://127.0.0.1:8087"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	if err := serve(addr); err != nil {
		fmt.Fprintln(os.Stderr, "chi:", err)
		os.Exit(1)
	}
}

func serve(addr string) error {
	parent, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := newServer(routes())
	if err := server.Listen(parent, addr); err != nil {
		return err
	}
	fmt.Printf("http://%s/hello/you\n", server.Addrs()[0])
	return server.Serve(parent)
}

func newServer(h http.Handler) *transport.Server {
	return &transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: nethttp.Handler(h)})}
}

func routes() http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.RequestID, middleware.Recoverer, middleware.Compress(5))
	r.Get("/hello/{name}", func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprintf(w, "Hello, %s!\n", chi.URLParam(q, "name"))
	})
	r.Get("/count", func(w http.ResponseWriter, q *http.Request) {
		for i := range 3 {
			fmt.Fprintln(w, i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				return // the client has left
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-q.Context().Done():
				return
			}
		}
	})
	return r
}
