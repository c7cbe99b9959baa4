package buffer

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReturnStackKeepsEveryBuffer(t *testing.T) {
	const pushers, each = 4, 1000
	s := returnStack{limit: 1 << 30}
	var running sync.WaitGroup
	for range pushers {
		running.Go(func() {
			for range each {
				if !s.push(&Buffer{data: make([]byte, 64)}) {
					t.Error("refused below the limit")
				}
			}
		})
	}
	seen := map[*Buffer]bool{}
	take := func() {
		n := 0
		for b := s.takeAll(); b != nil; b = b.next {
			require.False(t, seen[b], "twice")
			seen[b] = true
			n++
		}
		s.forget(n, n*64)
	}
	for len(seen) < pushers*each/2 {
		take()
	}
	running.Wait()
	take()
	require.Len(t, seen, pushers*each)
	require.EqualValues(t, pushers*each, s.returns())
	require.Zero(t, s.held())
	require.Nil(t, s.takeAll())
}

func TestReturnStackRefusesAboveItsLimit(t *testing.T) {
	s := returnStack{limit: 200}
	require.True(t, s.push(&Buffer{data: make([]byte, 128)}))
	require.False(t, s.push(&Buffer{data: make([]byte, 128)}))
	require.True(t, s.push(&Buffer{data: make([]byte, 64)}), "a smaller one still fits")
	require.EqualValues(t, 2, s.returns(), "the refused one did not come this way")
	require.EqualValues(t, 192, s.held()&loadBytes)
	n := 0
	for b := s.takeAll(); b != nil; b = b.next {
		n++
	}
	require.Equal(t, 2, n)
	s.forget(2, 192)
	require.Zero(t, s.held())
	require.True(t, s.push(&Buffer{data: make([]byte, 128)}))
}

func TestReturnStackCountsBeyondTheWordsParts(t *testing.T) {
	var s returnStack
	s.limit = 1 << 30
	s.arrived.Store(^uint64(0) - 10) // after a long life the sums wrap around
	s.drained.set(^uint64(0) - 10)
	for range 5 {
		require.True(t, s.push(&Buffer{data: make([]byte, 1<<20)}))
	}
	require.EqualValues(t, 5<<20, s.held()&loadBytes)
	require.EqualValues(t, 5, s.returns())
	s.takeAll()
	s.forget(5, 5<<20)
	require.Zero(t, s.held())
	require.EqualValues(t, 5, s.returns())
}
