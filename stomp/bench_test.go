package stomp

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

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
