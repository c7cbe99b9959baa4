package httpx_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// BenchmarkClientGet is a request over a kept connection through the loopback device, by Do and by net/http, to the same
// server. Both figures contain the server's part.
func BenchmarkClientGet(b *testing.B) {
	server := transport.Server{Loops: 1, Init: httpx.Init(httpx.ServerConfig{
		Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
			r := httpx.NewFullResponse(200)
			r.SetBodyString("Hello, World!")
			return x.Reply(r)
		},
	})}
	require.NoError(b, server.Listen(b.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- server.Serve(b.Context()) }()
	defer func() {
		require.NoError(b, server.Close())
		<-served
	}()
	url := "http://" + server.Addrs()[0].String() + "/"
	b.Run("httpx", func(b *testing.B) {
		dialer := &transport.Client{Loops: 1}
		client := &httpx.Client{Dial: dialer.Dial}
		b.ReportAllocs()
		for b.Loop() {
			r, err := client.Do(b.Context(), httpx.NewFullRequest(httpx.MethodGet, url))
			if err != nil {
				b.Fatal(err)
			}
			r.Release()
		}
		require.NoError(b, client.Close())
		require.NoError(b, dialer.Close())
	})
	b.Run("net-http", func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{}}
		b.ReportAllocs()
		for b.Loop() {
			r, err := client.Get(url)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		client.CloseIdleConnections()
	})
}
