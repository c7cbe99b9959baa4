package stomp

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefsGiveTheLastReleaseToOneGoroutine(t *testing.T) {
	const holders = 8
	for range 200 {
		var r refs
		for range holders - 1 {
			r.retain("message")
		}
		var last [holders]bool
		var wg sync.WaitGroup
		for i := range holders {
			wg.Go(func() { last[i] = r.release("message") })
		}
		wg.Wait()
		n := 0
		for _, l := range last {
			if l {
				n++
			}
		}
		require.Equal(t, 1, n)
	}
}

func TestRefsRevived(t *testing.T) {
	var r refs
	require.True(t, r.release("message"))
	r.revive()
	r.retain("message")
	require.False(t, r.release("message"))
	require.True(t, r.release("message"))
	require.PanicsWithValue(t, "stomp: message released twice", func() { r.release("message") })
}
