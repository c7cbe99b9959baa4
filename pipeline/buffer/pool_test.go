package buffer

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCore48BuffersReturnToTheirLoopFromEverywhere(t *testing.T) {
	const (
		batch = 64
		limit = 8 << 20
	)
	rounds := 1_000_000 / batch
	if Debug {
		rounds /= 20 // every life takes two stack traces
	}
	loop1, loop2 := NewPool(PoolConfig{Name: "loop 1", MaxHeldBytes: limit}), NewPool(PoolConfig{Name: "loop 2"})
	toLoop2, toPlain := make(chan []*Buffer, 4), make(chan []*Buffer, 4)
	var others sync.WaitGroup
	others.Go(func() {
		for bs := range toLoop2 {
			for _, b := range bs {
				b.AppendByte('2')
				loop2.Put(b)
			}
		}
	})
	others.Go(func() {
		for bs := range toPlain {
			for _, b := range bs {
				b.AppendByte('p')
				b.Release()
			}
		}
	})
	var most int
	for range rounds {
		a, b := make([]*Buffer, batch/2), make([]*Buffer, batch/2)
		for i := range a {
			a[i], b[i] = loop1.Get(1000), loop1.Get(200)
			a[i].AppendUint64(uint64(i))
			b[i].AppendUint64(uint64(i))
		}
		toLoop2 <- a
		toPlain <- b
		most = max(most, loop1.Stats().HeldBytes)
	}
	close(toLoop2)
	close(toPlain)
	others.Wait()

	s := loop1.Stats()
	require.Zero(t, s.Live)
	require.Zero(t, loop2.Stats().HeldBytes, "none of it stays elsewhere")
	require.LessOrEqual(t, most, limit, "memory is bounded")
	require.EqualValues(t, rounds*batch, s.Gets)
	require.EqualValues(t, rounds*batch, s.ForeignReturns)
	// At most nine batches are on the way at a time, so the loop needs no more memory than that of its own.
	require.Less(t, s.Misses, uint64(20*batch), "free lists return to loop 1")
}

func TestPoolReusesTheLastReturned(t *testing.T) {
	p := NewPool(PoolConfig{})
	a, b := p.Get(1000), p.Get(1000)
	first, second := &a.data[0], &b.data[0]
	require.NotSame(t, first, second)
	p.Put(a)
	p.Put(b)
	again := p.Get(1000)
	require.Same(t, second, &again.data[0], "its bytes are in the cache")
	require.Zero(t, again.Len())
	require.Equal(t, again.Cap(), again.Room())
	p.Put(again)
	require.Equal(t, Stats{Gets: 3, Hits: 1, Misses: 2, HeldBytes: 2048}, p.Stats())
}

func TestPutDropsOneReference(t *testing.T) {
	p := NewPool(PoolConfig{})
	b := p.Get(10)
	b.Retain()
	p.Put(b)
	require.Equal(t, 1, p.Live())
	require.True(t, b.Unique())
	p.Put(b)
	require.Zero(t, p.Live())
}

func TestPutTakesBuffersOfAllOrigins(t *testing.T) {
	leakCheck(t)
	p, q := NewPool(PoolConfig{}), NewPool(PoolConfig{})
	s := FromBytes(digits(1000)).Slice(0, 500)
	s.root.Release()
	view := s.Buffer()
	s.Release()
	for _, b := range []*Buffer{Get(100), Wrap([]byte("x")), q.Get(100), q.GetShared(100), p.GetShared(100), p.Get(2 << 20), view} {
		p.Put(b)
	}
	require.Zero(t, p.Live())
	require.Zero(t, q.Live())
	require.Zero(t, p.Stats().HeldBytes, "each went home")
	require.Equal(t, 128, q.Stats().HeldBytes)
}

func TestReleaseOnTheLoopComesBackThroughTheStack(t *testing.T) {
	p := NewPool(PoolConfig{})
	b := p.Get(1000)
	array := &b.data[0]
	b.Release()
	s := p.Stats()
	require.EqualValues(t, 1, s.ForeignReturns)
	require.Equal(t, 1024, s.HeldBytes)
	other := p.Get(100) // another class: drains the stack on its way
	b = p.Get(1000)
	require.Same(t, array, &b.data[0])
	p.Put(b)
	p.Put(other)
	s = p.Stats()
	require.Equal(t, Stats{Gets: 3, Hits: 1, Misses: 2, ForeignReturns: 1, HeldBytes: 1024 + 128}, s)
}

func TestPoolHoldsNoMoreThanItsLimit(t *testing.T) {
	for _, how := range []string{"Put", "Release"} {
		t.Run(how, func(t *testing.T) {
			p := NewPool(PoolConfig{MaxHeldBytes: 64 << 10})
			bs := make([]*Buffer, 1000)
			for i := range bs {
				bs[i] = p.Get(1 + rand.N(8000))
			}
			for _, b := range bs {
				if how == "Put" {
					p.Put(b)
				} else {
					b.Release()
				}
				require.LessOrEqual(t, p.Stats().HeldBytes, 64<<10)
			}
			require.Zero(t, p.Live())
			require.Positive(t, p.Stats().HeldBytes)
			p.Get(1).Release() // takes what the stack holds into the lists
			require.LessOrEqual(t, p.Stats().HeldBytes, 64<<10)
		})
	}
}

func TestDrainedBuffersAboveTheLimitMoveOn(t *testing.T) {
	p := NewPool(PoolConfig{MaxHeldBytes: 4096}) // 3,072 in lists, 1,024 on the stack
	bs := []*Buffer{p.Get(1024), p.Get(1024), p.Get(1024), p.Get(1024)}
	for _, b := range bs[:3] {
		p.Put(b)
	}
	bs[3].Release()
	require.Equal(t, 4096, p.Stats().HeldBytes)
	p.Put(p.Get(64)) // another class, so the stack is drained while the lists are full
	require.Equal(t, 3072, p.Stats().HeldBytes)
	require.Zero(t, p.Live())
}

func TestPoolSmallerThanABufferHoldsNone(t *testing.T) {
	p := NewPool(PoolConfig{MaxHeldBytes: 100})
	b := p.Get(1000)
	b.AppendString("x")
	p.Put(b)
	p.Get(1000).Release()
	require.Zero(t, p.Stats().HeldBytes)
	require.Zero(t, p.Live())
}

func TestGetSharedIsCountedAndGoesBackToTheSharedPool(t *testing.T) {
	p := NewPool(PoolConfig{})
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 100 {
				b := p.GetShared(100)
				b.AppendString("x")
				if p.Live() < 1 {
					t.Error("not counted")
				}
				b.Release()
			}
		})
	}
	workers.Wait()
	s := p.Stats()
	require.Zero(t, s.Live)
	require.Zero(t, s.HeldBytes)
	require.EqualValues(t, 400, s.Gets)
	require.EqualValues(t, 400, s.Misses)
}

func TestTrimLetsGoOfEverything(t *testing.T) {
	p := NewPool(PoolConfig{})
	a, b := p.Get(1000), p.Get(100)
	live := p.Get(10)
	p.Put(a)
	b.Release()
	require.Equal(t, 1024+128, p.Stats().HeldBytes)
	p.Trim()
	require.Zero(t, p.Stats().HeldBytes)
	require.Equal(t, 1, p.Live())
	p.Put(live)
	require.Equal(t, 64, p.Stats().HeldBytes, "it goes on pooling")
}

func TestCloseSendsLaterReturnsToTheSharedPool(t *testing.T) {
	p := NewPool(PoolConfig{})
	held, released, put := p.Get(100), p.Get(100), p.Get(100)
	p.Put(held)
	p.Close()
	require.Zero(t, p.Stats().HeldBytes)
	require.Equal(t, 2, p.Live())
	var elsewhere sync.WaitGroup
	elsewhere.Go(released.Release)
	elsewhere.Wait()
	p.Put(put)
	require.Zero(t, p.Live())
	require.Zero(t, p.Stats().HeldBytes)
	require.EqualValues(t, 1, p.Stats().ForeignReturns)
}

func TestGetOfNothingIsABuffer(t *testing.T) {
	p := NewPool(PoolConfig{})
	for _, n := range []int{0, -1} {
		b := p.Get(n)
		require.Equal(t, 64, b.Cap())
		p.Put(b)
	}
}

func BenchmarkPool(b *testing.B) {
	p := NewPool(PoolConfig{})
	b.Run("LoopGetPut", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Put(p.Get(1000))
		}
	})
	b.Run("LoopGetPut16Sizes", func(b *testing.B) {
		sizes := [16]int{64, 80, 130, 200, 300, 500, 600, 900, 1100, 1400, 2000, 4000, 5000, 8000, 12000, 16000}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			p.Put(p.Get(sizes[i&15]))
			i++
		}
	})
	b.Run("LoopGetRelease", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Get(1000).Release()
		}
	})
	b.Run("GetSharedRelease", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.GetShared(1000).Release()
		}
	})
	b.Run("SharedGetRelease", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Get(1000).Release()
		}
	})
	b.Run("RetainRelease", func(b *testing.B) {
		buf := p.Get(1000)
		b.ReportAllocs()
		for b.Loop() {
			buf.Retain()
			buf.Release()
		}
		p.Put(buf)
	})
	require.Zero(b, p.Live())
}
