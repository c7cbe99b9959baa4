package httpx

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLastHolderIsToldOnce(t *testing.T) {
	var c count
	c.retain("Thing")
	require.False(t, c.drop("Thing"))
	require.True(t, c.drop("Thing"))
	require.PanicsWithValue(t, "httpx: Thing released twice", func() { c.drop("Thing") })
	require.PanicsWithValue(t, "httpx: Thing retained after its release", func() { c.retain("Thing") })
	c.revive()
	require.True(t, c.drop("Thing"))
}

func TestHoldersOnManyGoroutinesReleaseOnce(t *testing.T) {
	for range 200 {
		var c count
		var last atomic.Int32
		var done sync.WaitGroup
		for range 7 {
			c.retain("Thing")
		}
		for range 8 {
			done.Go(func() {
				if c.drop("Thing") {
					last.Add(1)
				}
			})
		}
		done.Wait()
		require.Equal(t, int32(1), last.Load())
	}
}
