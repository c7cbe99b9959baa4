package buffer

import (
	"bytes"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCore46WriterSumsWhileAppendingAndViewsStayIndependent(t *testing.T) {
	p := NewPool(PoolConfig{})
	var w Writer
	w.Reset(p, 0)
	w.TrackCRC32C()
	var flat []byte
	add := func(s []byte) { flat = append(flat, s...) }
	for _, n := range []int{10, 300, 700} {
		b := FromBytes(bytes.Repeat([]byte{byte(n)}, n))
		add(b.Bytes())
		w.AppendSlice(b.Slice(0, n))
		b.Release()
	}
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	add(big)
	w.AppendRef(Wrap(big))
	view := w.View()
	before := bytes.Clone(flat)
	w.AppendString("tail")
	add([]byte("tail"))
	require.Equal(t, crc32.Checksum(flat, castagnoli), w.CRC32C())
	msg := w.Take().(*Composite)
	require.True(t, msg.EqualBytes(flat))
	require.True(t, view.EqualBytes(before))
	require.Equal(t, JavaHash(flat), msg.JavaHash())
	require.Equal(t, Hash(flat), msg.Hash())
	msg.Release()
	view.Release()
	require.Zero(t, p.Live())
}

func TestJavaHashVectors(t *testing.T) {
	require.Equal(t, int32(1714387463), JavaHash(bytes.Repeat([]byte("0123456789"), 50)))
	require.Equal(t, int32(253820111), JavaHash(bytes.Repeat([]byte("0123456789"), 10)))
	require.Equal(t, int32(-2123614043), JavaHash([]byte("Symbol-1")))
	require.Equal(t, int32(-1174962175), JavaHash(make([]byte, 1024)))
}

func BenchmarkX(b *testing.B) {
	p := NewPool(PoolConfig{})
	b.Run("Loop", func(b *testing.B) {
		for b.Loop() {
			p.Put(p.Get(1000))
		}
	})
	b.Run("LoopRelease", func(b *testing.B) {
		for b.Loop() {
			p.Get(1000).Release()
		}
	})
	b.Run("Shared", func(b *testing.B) {
		for b.Loop() {
			Get(1000).Release()
		}
	})
	b.Run("JavaHash500", func(b *testing.B) {
		x := bytes.Repeat([]byte("0123456789"), 50)
		for b.Loop() {
			JavaHash(x)
		}
	})
}
