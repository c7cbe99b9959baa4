package buffer

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatsTellHitsFromMisses(t *testing.T) {
	p := NewPool(PoolConfig{})
	require.Equal(t, Stats{}, p.Stats())
	a := p.Get(1000)
	require.Equal(t, Stats{Gets: 1, Misses: 1, Live: 1}, p.Stats())
	p.Put(a)
	require.Equal(t, Stats{Gets: 1, Misses: 1, HeldBytes: 1024}, p.Stats())
	a = p.Get(1000)
	require.Equal(t, Stats{Gets: 2, Hits: 1, Misses: 1, Live: 1}, p.Stats())
	a.Release()
	require.Equal(t, Stats{Gets: 2, Hits: 1, Misses: 1, ForeignReturns: 1, HeldBytes: 1024}, p.Stats())
	p.Put(p.Get(2 << 20))
	require.Equal(t, Stats{Gets: 3, Hits: 1, Misses: 2, ForeignReturns: 1, Unpooled: 1, HeldBytes: 1024}, p.Stats())
	p.GetShared(10).Release()
	require.Equal(t, Stats{Gets: 4, Hits: 1, Misses: 3, ForeignReturns: 1, Unpooled: 1, HeldBytes: 1024}, p.Stats())
}

func TestStatsMayBeReadWhileTheLoopWorks(t *testing.T) {
	p := NewPool(PoolConfig{})
	stop := make(chan struct{})
	var observer sync.WaitGroup
	observer.Go(func() {
		last := Stats{}
		for {
			s := p.Stats()
			if s.Live < 0 || s.Gets < last.Gets || s.Misses < last.Misses {
				t.Errorf("%+v after %+v", s, last)
				return
			}
			last = s
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for i := range 20000 {
		b := p.Get(i % 3000)
		if i%10 == 0 {
			b.Release()
		} else {
			p.Put(b)
		}
	}
	close(stop)
	observer.Wait()
	require.Zero(t, p.Live())
}

func TestLiveCountsAcrossAllWaysBack(t *testing.T) {
	p := NewPool(PoolConfig{MaxHeldBytes: 4096})
	var bs []*Buffer
	for i := range 60 {
		switch i % 3 {
		case 0:
			bs = append(bs, p.Get(1000))
		case 1:
			bs = append(bs, p.GetShared(1000))
		case 2:
			bs = append(bs, p.Get(2<<20))
		}
		require.Equal(t, i+1, p.Live())
	}
	for i, b := range bs {
		if i%2 == 0 {
			p.Put(b)
		} else {
			b.Release()
		}
		require.Equal(t, 59-i, p.Live())
	}
}
