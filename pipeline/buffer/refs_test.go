package buffer

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLastHolderOfRefsIsToldOnce(t *testing.T) {
	var r Refs
	r.Retain("p: thing")
	require.True(t, r.Shared())
	require.False(t, r.Drop("p: thing"))
	require.False(t, r.Shared())
	require.True(t, r.Drop("p: thing"))
	require.PanicsWithValue(t, "p: thing released twice", func() { r.Drop("p: thing") })
	require.PanicsWithValue(t, "p: thing retained after its release", func() { r.Retain("p: thing") })
	r.Revive()
	r.Retain("p: thing")
	require.False(t, r.Drop("p: thing"))
	require.True(t, r.Drop("p: thing"))
}

func TestHoldersOfRefsOnManyGoroutinesReleaseOnce(t *testing.T) {
	for range 200 {
		var r Refs
		var last atomic.Int32
		var done sync.WaitGroup
		for range 7 {
			r.Retain("p: thing")
		}
		for range 8 {
			done.Go(func() {
				if r.Drop("p: thing") {
					last.Add(1)
				}
			})
		}
		done.Wait()
		require.Equal(t, int32(1), last.Load())
	}
}

func TestRefsPutNoLiteralIntoAPool(t *testing.T) {
	type message struct{ refs Refs }
	made := 0
	pool := sync.Pool{New: func() any { made++; return &message{} }}
	literal := &message{}
	require.True(t, literal.refs.Drop("p: message"))
	literal.refs.Recycle(&pool, literal)
	require.NotSame(t, literal, pool.Get())
	require.Equal(t, 1, made)
}
