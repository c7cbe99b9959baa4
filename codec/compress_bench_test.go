package codec

import (
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// BenchmarkCompressedMessage is one message of 2,000 bytes, deflated, flushed and inflated.
func BenchmarkCompressedMessage(b *testing.B) {
	for _, c := range formats {
		b.Run(c.String(), func(b *testing.B) {
			w, r := &Deflater{Format: c}, &Inflater{Format: c}
			defer w.Reset()
			defer r.Reset()
			text := []byte(chatter(1, 64<<10))
			b.ReportAllocs()
			b.SetBytes(2000)
			for i := 0; b.Loop(); i++ {
				_, _ = w.Write(text[i*64%(62<<10):][:2000])
				_ = w.Flush()
				in, _ := w.Take().(*buffer.Buffer)
				r.Renew()
				for in.Len() > 0 || r.Backlog() {
					if f, ok, _ := r.Decode(in); ok {
						f.Release()
					}
				}
				in.Release()
			}
		})
	}
}
