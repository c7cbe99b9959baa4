package codec

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func BenchmarkInflate(b *testing.B) {
	text := prose(1 << 20)
	for _, c := range formats {
		stream := deflated(b, c, text)
		b.Run(c.String(), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				d := &Inflater{Format: c}
				in := buffer.FromString(stream)
				for in.Len() > 0 || d.Backlog() {
					f, ok, err := d.Decode(in)
					if err != nil {
						b.Fatal(err)
					}
					if ok {
						f.Release()
					}
				}
				in.Release()
				d.Reset()
			}
		})
	}
	b.Run("library alone, deflate", func(b *testing.B) {
		stream := deflated(b, Deflate, text)
		b.SetBytes(int64(len(text)))
		r := flate.NewReader(strings.NewReader(stream))
		for b.Loop() {
			_ = r.(flate.Resetter).Reset(bufio.NewReader(strings.NewReader(stream)), nil)
			if _, err := io.Copy(io.Discard, r); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkLine(b *testing.B) {
	input := strings.Repeat("a line of forty bytes or so, as logs go.\n", 1000)
	d := &Line{}
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		in := buffer.FromString(input)
		for in.Len() > 0 {
			if f, ok, _ := d.Decode(in); ok {
				f.Release()
			}
		}
		in.Release()
	}
}
