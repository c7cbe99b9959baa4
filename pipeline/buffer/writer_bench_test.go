package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkWriter(b *testing.B) {
	p := NewPool(PoolConfig{})
	body := p.Get(4096)
	body.Append(digits(4096))
	var w Writer
	b.Run("Head", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.Reset(p, 64)
			w.AppendString("subscription:7\n")
			w.AppendUint32(7)
			w.AppendByte('\n')
			w.AppendUvarint(300)
			p.Put(w.Take().(*Buffer))
		}
	})
	b.Run("HeadReferenceTail", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.Reset(p, 64)
			w.AppendString("subscription:7\n\n")
			body.Retain()
			w.AppendRef(body)
			w.AppendByte(0)
			w.Take().(*Composite).Release()
		}
	})
	for _, sum := range []string{"Plain", "CRC32C"} {
		b.Run("Body64K/"+sum, func(b *testing.B) {
			payload := digits(64 << 10)
			want := sumOf(payload)
			b.ReportAllocs()
			b.SetBytes(int64(len(payload)))
			for b.Loop() {
				w.Reset(p, len(payload))
				if sum == "CRC32C" {
					w.TrackCRC32C()
				}
				w.Append(payload)
				if got := w.CRC32C(); sum == "CRC32C" && got != want {
					b.Fatalf("sum %#x, want %#x", got, want)
				}
				p.Put(w.Take().(*Buffer))
			}
		})
	}
	p.Put(body)
	require.Zero(b, p.Live())
}
