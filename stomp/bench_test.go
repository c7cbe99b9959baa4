package stomp

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	fixedUUID = "11111111-2222-4333-8444-555555555555"
	fixedTime = "1700000000000"
)

// fixtures are the frames of netty's StompEncoderBenchmark with fixed constants, by their real header counts.
// netty calls those of 6, 10 and 19 headers SEVEN, ELEVEN and TWENTY.
func fixtures() []*Frame {
	message := func(subscription string, more ...string) *Frame {
		return NewFrame(CommandMessage, append([]string{
			"subscription", subscription, "message-id", fixedUUID, "destination", "/queue/chat",
			"content-type", "application/octet-stream", "ack", fixedUUID, "timestamp", fixedTime,
		}, more...)...)
	}
	return []*Frame{
		NewFrame(CommandReceipt, "receipt-id", fixedUUID),
		NewFrame(CommandError, "receipt-id", fixedUUID, "content-type", "text/plain", "message", "malformed frame received"),
		message("7"),
		message("11", "Strict-Transport-Security", "max-age=31536000; includeSubdomains; preload", "Server", "GitHub.com",
			"Expires", "Sat, 01 Jan 2000 00:00:00 GMT", "Content-Language", "en"),
		message("20", "date", "Wed, 22 Apr 2015 00:40:28 GMT", "expires", "Tue, 31 Mar 1981 05:00:00 GMT",
			"last-modified", "Wed, 22 Apr 2015 00:40:28 GMT", "ms", "ms", "pragma", "no-cache", "server", "tsa_b",
			"set-cookie", "noneofyourbusiness", "strict-transport-security", "max-age=631138519", "version", "STOMP_v1.2",
			"x-connection-hash", "e176fe40accc1e2c613a34bc1941aa98", "x-content-type-options", "nosniff",
			"x-frame-options", "SAMEORIGIN", "x-transaction", "a54142ede693444d9"),
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, f := range fixtures() {
		for _, size := range []int{0, 100, 10000} {
			if size > 0 && !f.Command.Body() {
				continue
			}
			g := f.Clone()
			g.Body.AppendBytes(bytes.Repeat([]byte{'x'}, size))
			b.Run(fmt.Sprintf("%dheaders/%dB", len(g.Headers), size), func(b *testing.B) {
				e := &Encoder{State: &State{Version: Version12}}
				pool := buffer.NewPool(buffer.PoolConfig{})
				var out buffer.Writer
				b.ReportAllocs()
				for b.Loop() {
					out.Reset(pool, e.Size(g))
					if err := e.Encode(&out, g); err != nil {
						b.Fatal(err)
					}
					switch m := out.Take().(type) {
					case *buffer.Buffer:
						pool.Put(m)
					case *buffer.Composite:
						m.Release()
					}
				}
			})
			g.Release()
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, f := range fixtures() {
		if f.Command.Body() {
			f.Body.AppendBytes(bytes.Repeat([]byte{'x'}, 100))
		}
		wire := wireOf(b, f)
		b.Run(fmt.Sprintf("%dheaders/%dB", len(f.Headers), f.Body.Len()), func(b *testing.B) {
			d := &Decoder{State: &State{Version: Version12}}
			b.SetBytes(int64(len(wire)))
			b.ReportAllocs()
			for b.Loop() {
				decodeOne(b, d, wire)
			}
		})
	}
}

// wireOf returns f as 1.2 octets.
func wireOf(tb testing.TB, f *Frame) []byte {
	tb.Helper()
	e := &Encoder{State: &State{Version: Version12}}
	var out buffer.Writer
	out.Reset(nil, e.Size(f))
	if err := e.Encode(&out, f); err != nil {
		tb.Fatal(err)
	}
	m := out.Take()
	defer buffer.Release(m)
	return []byte(flat(m))
}

// decodeOne reads the one frame of wire and drops it.
func decodeOne(tb testing.TB, d *Decoder, wire []byte) {
	in := buffer.Get(len(wire))
	in.Append(wire)
	m, ok, err := d.Decode(in)
	if !ok || err != nil || in.Len() != 0 {
		tb.Fatal("not one frame")
	}
	m.(*Frame).Release()
	in.Release()
}
