package nethttp_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx/nethttp"
)

// echo sends the body back in the way that the query asks for.
func echo(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	switch r.URL.Query().Get("how") {
	case "whole":
		all, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(all)))
		_, _ = w.Write(all)
	case "duplex":
		_ = c.EnableFullDuplex()
		p := make([]byte, 1+rand.IntN(5000))
		for {
			n, err := r.Body.Read(p)
			_, _ = w.Write(p[:n])
			if n%2 == 0 {
				_ = c.Flush()
			}
			if err != nil {
				return
			}
		}
	default:
		_ = c.EnableFullDuplex()
		_, _ = io.Copy(w, r.Body)
	}
}

func TestEchoesOfAnySizeComeBack(t *testing.T) {
	b := &nethttp.Bridge{Handler: http.HandlerFunc(echo)}
	address := serving(t, b, nil)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 1))
			for range 60 {
				sent := make([]byte, random.IntN(1<<(4+random.IntN(17))))
				for i := range sent {
					sent[i] = byte(random.Uint32())
				}
				how := []string{"whole", "duplex", "copy"}[random.IntN(3)]
				var from io.Reader = bytes.NewReader(sent)
				if random.IntN(2) == 0 {
					from = struct{ io.Reader }{from} // chunked
				}
				got, err := post(client, "http://"+address+"/?how="+how, from)
				if err != nil || !bytes.Equal(sent, got) {
					t.Errorf("%d octets %s: %v, %d came back", len(sent), how, err, len(got))
					return
				}
			}
		})
	}
	all.Wait()
	require.NoError(t, b.Wait(t.Context()))
}

func post(client *http.Client, url string, from io.Reader) ([]byte, error) {
	r, err := client.Post(url, "application/octet-stream", from)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}
