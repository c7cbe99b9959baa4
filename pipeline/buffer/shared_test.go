package buffer

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSharedServesAllGoroutines(t *testing.T) {
	leakCheck(t)
	var workers sync.WaitGroup
	for i := range 4 {
		workers.Go(func() {
			want := bytes.Repeat([]byte{byte(i)}, 3000)
			for size := 1; size < 3000; size += 7 {
				b := Shared().Get(size)
				b.Append(want[:size])
				if !bytes.Equal(b.Bytes(), want[:size]) {
					t.Error("another goroutine wrote here")
				}
				b.Release()
			}
		})
	}
	workers.Wait()
}

func TestSharedAndGetAreOnePool(t *testing.T) {
	before := SharedStats()
	a, b := Get(100), Shared().Get(100)
	s := SharedStats()
	require.Equal(t, before.Gets+2, s.Gets)
	require.Equal(t, before.Live+2, s.Live)
	a.Release()
	b.Release()
	require.Equal(t, before.Live, SharedStats().Live)
}

func TestSharedStatsCountPlainMemory(t *testing.T) {
	before := SharedStats()
	a, b := Get(2<<20), Wrap([]byte("x"))
	s := SharedStats()
	require.Equal(t, before.Unpooled+2, s.Unpooled)
	require.Equal(t, before.Gets+2, s.Gets)
	require.Equal(t, before.Live+2, s.Live)
	require.Equal(t, before.Misses+2, s.Misses)
	require.Equal(t, before.Hits, s.Hits)
	a.Release()
	b.Release()
	require.Equal(t, before.Live, SharedStats().Live)
}

func TestLoopsTakeFromAndOverflowIntoTheSharedPool(t *testing.T) {
	before := SharedStats()
	p := NewPool(PoolConfig{MaxHeldBytes: 1})
	arrays := map[*byte]bool{}
	for range 100 {
		b := p.Get(3000)
		arrays[&b.data[0]] = true
		p.Put(b)
	}
	require.Less(t, len(arrays), 80, "overflow was reused") // the race detector makes sync.Pool drop some
	require.Equal(t, before, SharedStats(), "counted by the loop's pool, not here")
}

func TestSharedStatsTellHitsFromMisses(t *testing.T) {
	before := SharedStats()
	const n = 50
	for range n {
		Get(200_000).Release()
	}
	s := SharedStats()
	require.EqualValues(t, n, s.Gets-before.Gets)
	require.EqualValues(t, n, s.Hits+s.Misses-before.Hits-before.Misses)
	require.Greater(t, s.Hits, before.Hits)
}

func TestReusedHeadersCarryNothingOver(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{Name: "loop 1", MaxHeldBytes: 1})
	for range 10 {
		b := p.Get(5000)
		b.AppendString("left over")
		p.Put(b) // into the shared pool
		c := Get(5000)
		require.Zero(t, c.Len())
		require.Nil(t, c.home)
		require.Equal(t, uint8(flagShared), c.flags)
		c.Release()
		b = p.Get(5000)
		require.Same(t, p, b.home)
		require.Zero(t, b.flags)
		p.Put(b)
	}
	require.Zero(t, p.Live())
}
