//go:build !race && !bufdebug

package httpx_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestCompressedAnswersCostNoAllocation(t *testing.T) {
	body := []byte(prosePage)
	var fields httpx.Header
	require.NoError(t, errors.Join(fields.Add("content-type", "text/html"), fields.Add("etag", `"abc"`)))
	forms := map[string]func(x *httpx.Exchange) error{
		"whole": func(x *httpx.Exchange) error {
			r := httpx.NewFullResponse(200)
			r.Header.AddAll(&fields)
			r.SetBody(body)
			return x.Reply(r)
		},
		"pieces": func(x *httpx.Exchange) error {
			r := httpx.NewResponse(200)
			r.Header.AddAll(&fields)
			b := buffer.FromBytes(body)
			c := httpx.NewContent(b.ReadSlice(b.Len()))
			b.Release()
			return errors.Join(x.Begin(r), x.Write(c), x.End())
		},
	}
	runtime.GC() // twice, so that the pools are empty: what other tests left in them makes the first rounds cheaper
	runtime.GC()
	for name, form := range forms {
		plain := 0.0
		for _, accept := range []string{"br", "gzip", "deflate", "zstd"} {
			ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error { return form(x) }, &httpx.Compressor{})
			request := []byte(asking("GET", accept) + "\r\n")
			round := func() {
				if err := ch.Embedded.Feed(request); err != nil {
					t.Fatal(err)
				}
				ch.DiscardWire()
			}
			for range 50 {
				round()
			}
			n := testing.AllocsPerRun(200, round)
			if accept == "br" {
				plain = n // of an exchange that somebody may hold, when it is not a Reply
			}
			require.LessOrEqual(t, n, plain, "%s %s", accept, name)
		}
		require.Equal(t, name == "whole", plain == 0)
	}
}

func TestUncompressedMessagesCostNoAllocation(t *testing.T) {
	ch := behind(t, hello, &httpx.Compressor{}, &httpx.Decompressor{})
	request := []byte(asking("GET", "gzip") + "\r\n" + "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
	round := func() {
		if err := ch.Embedded.Feed(request); err != nil {
			t.Fatal(err)
		}
		ch.DiscardWire()
	}
	for range 50 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(200, round))
}

func BenchmarkCompressedAnswer(b *testing.B) {
	body := []byte(noisy(16 << 10))
	for _, accept := range []string{"gzip", "deflate", "zstd", "br"} {
		b.Run(accept, func(b *testing.B) {
			ch := behind(b, func(_ *pipeline.Context, x *httpx.Exchange) error {
				r := httpx.NewFullResponse(200)
				r.SetBody(body)
				return errors.Join(r.Header.Add("content-type", "text/plain"), x.Reply(r))
			}, &httpx.Compressor{})
			request := []byte(asking("GET", accept) + "\r\n")
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := ch.Embedded.Feed(request); err != nil {
					b.Fatal(err)
				}
				ch.DiscardWire()
			}
		})
	}
}
