package server

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLaterTakesTheFirstAnswer(t *testing.T) {
	var l later
	kept := 0
	require.False(t, l.answer(func() { kept = 1 }), "the hook is still running")
	require.False(t, l.answer(func() { kept = 2 }))
	require.True(t, l.hookReturned())
	require.Equal(t, 1, kept)
}

func TestLaterPostsBehindTheHook(t *testing.T) {
	var l later
	kept := 0
	require.False(t, l.hookReturned())
	require.True(t, l.answer(func() { kept = 1 }))
	require.False(t, l.answer(func() { kept = 2 }))
	require.Equal(t, 1, kept)
}

// However hook and answer meet, the answer is taken up exactly once, and what it says is there by then.
func TestLaterIsTakenUpOnce(t *testing.T) {
	for range 1000 {
		var l later
		var wg sync.WaitGroup
		said := "" // unguarded, so that the race detector sees a taker that comes too early
		taken := make(chan string, 8)
		for range 3 {
			wg.Go(func() {
				if l.answer(func() { said = "no" }) {
					taken <- said
				}
			})
		}
		if l.hookReturned() {
			taken <- said
		}
		wg.Wait()
		require.Len(t, taken, 1)
		require.Equal(t, "no", <-taken)
	}
}
