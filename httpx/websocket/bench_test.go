package websocket

import (
	"strings"
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func benchmarkEcho(b *testing.B, deflate *Deflate, wire []byte, payload int) {
	b.Helper()
	pool := buffer.NewPool(buffer.PoolConfig{Name: "bench"})
	d, e := &Decoder{Deflate: deflate}, &Encoder{Deflate: deflate}
	d.UseAllocator(pool)
	e.UseAllocator(pool)
	var out buffer.Writer
	b.SetBytes(int64(payload))
	b.ReportAllocs()
	for b.Loop() {
		in := pool.Get(len(wire))
		in.Append(wire)
		m, ok, err := d.Decode(in)
		if !ok {
			b.Fatal(err)
		}
		out.Reset(pool, e.Size(m))
		if err := e.Encode(&out, m); err != nil {
			b.Fatal(err)
		}
		buffer.Release(out.Take())
		buffer.Release(m)
		pool.Put(in)
	}
}

// One message through decoder and encoder of a server.
func BenchmarkEcho(b *testing.B) {
	for name, n := range map[string]int{"32B": 32, "1KiB": 1 << 10, "64KiB": 64 << 10} {
		b.Run("text/"+name, func(b *testing.B) { benchmarkEcho(b, nil, frame(0x81, strings.Repeat("x", n)), n) })
		b.Run("binary/"+name, func(b *testing.B) { benchmarkEcho(b, nil, frame(0x82, strings.Repeat("x", n)), n) })
	}
}

func BenchmarkEchoCompressed(b *testing.B) {
	text := strings.Repeat(`{"id":12345,"name":"penstock","values":[1,2,3]},`, 20)
	for name, deflate := range map[string]*Deflate{"alone": {}, "takeover": takeover()} {
		b.Run(name, func(b *testing.B) { benchmarkEcho(b, deflate, frame(0xc1, deflated(b, text)), len(text)) })
	}
}

func BenchmarkPrepared(b *testing.B) {
	p, err := Prepare(NewText(strings.Repeat("x", 1000)))
	if err != nil {
		b.Fatal(err)
	}
	pool := buffer.NewPool(buffer.PoolConfig{Name: "bench"})
	e := new(Encoder)
	var out buffer.Writer
	b.ReportAllocs()
	for b.Loop() {
		out.Reset(pool, e.Size(p))
		if err := e.Encode(&out, p); err != nil {
			b.Fatal(err)
		}
		buffer.Release(out.Take())
	}
}
