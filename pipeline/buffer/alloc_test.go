//go:build !race && !bufdebug

package buffer

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// Allocation budgets. sync.Pool gives memory up at a garbage collection, so paths through the shared pool are allowed
// less than one allocation per run on average, where the loop's own are allowed none at all.

func TestCore47GetAndPutDoNotAllocate(t *testing.T) {
	p := NewPool(PoolConfig{})
	for _, n := range []int{1, 64, 500, 1000, 4100, 16384, 65536, 70000, 1 << 20} {
		require.Zero(t, testing.AllocsPerRun(100, func() { p.Put(p.Get(n)) }), "%d bytes, put", n)
		require.Zero(t, testing.AllocsPerRun(100, func() { p.Get(n).Release() }), "%d bytes, released", n)
	}
	require.Zero(t, p.Live())
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	p := NewPool(PoolConfig{})
	root := p.Get(4096)
	root.Append(digits(4096))
	flat := digits(1000)
	var w Writer
	iovecs := make([][]byte, 0, 16)
	write := func() any {
		w.Reset(p, 64)
		w.TrackCRC32C()
		w.AppendString("head")
		w.AppendUint32(0)
		w.AppendSlice(root.Slice(0, 1000))
		w.AppendUvarint(300)
		w.CRC32C()
		return w.Take()
	}
	tests := []struct {
		name string
		run  func()
	}{
		{"shared get and release", func() { Get(1000).Release() }},
		{"counted get and release", func() { p.GetShared(1000).Release() }},
		{"copied slice", func() { root.Slice(10, 100).Release() }},
		{"referenced slice", func() { root.Slice(10, 1000).Release() }},
		{"slice as a buffer", func() {
			s := root.Slice(10, 1000)
			s.Buffer().Release()
			s.Release()
		}},
		{"writing one buffer", func() {
			w.Reset(p, 100)
			w.AppendString("head")
			w.Append(flat[:50])
			p.Put(w.Take().(*Buffer))
		}},
		{"writing with a reference", func() { Release(write()) }},
		{"reading a rope", func() {
			c := write().(*Composite)
			c.Peek(12)
			c.ReadUint32()
			c.Next(10)
			c.At(500)
			c.IndexByte('x')
			iovecs = c.Iovecs(iovecs[:0])
			c.Release()
		}},
		{"comparing and hashing ropes", func() {
			a, b := write().(*Composite), write().(*Composite)
			a.Equal(b)
			a.EqualBytes(flat)
			a.Hash()
			a.JavaHash()
			a.CRC32C()
			a.Release()
			b.Release()
		}},
		{"cutting a rope", func() {
			c := write().(*Composite)
			front, view := c.Split(500), c.View()
			c.AppendComposite(front)
			view.Release()
			_, _ = c.WriteTo(io.Discard)
			c.Release()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Zero(t, testing.AllocsPerRun(200, tt.run))
		})
	}
	p.Put(root)
	require.Zero(t, p.Live())
}

func TestRopesOfManyPartsDoNotAllocate(t *testing.T) {
	p := NewPool(PoolConfig{})
	run := func() {
		c := NewComposite()
		for range keptParts / 2 {
			b := p.Get(10)
			b.AppendByte('x')
			c.Append(b)
		}
		c.Release()
	}
	run()
	require.Less(t, testing.AllocsPerRun(100, run), 1.0)
}

func TestTracingOffCostsNoAllocation(t *testing.T) {
	b := Get(10)
	defer b.Release()
	require.Zero(t, testing.AllocsPerRun(100, func() { b.Touch("here") }))
}
