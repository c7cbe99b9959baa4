package server

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLaterTakesTheFirstAnswer(t *testing.T) {
	var l later
	first, post := l.answer()
	require.True(t, first)
	require.False(t, post, "the hook is still running")
	first, _ = l.answer()
	require.False(t, first)
	require.True(t, l.hookReturned())
}

func TestLaterPostsBehindTheHook(t *testing.T) {
	var l later
	require.False(t, l.hookReturned())
	first, post := l.answer()
	require.True(t, first)
	require.True(t, post)
	first, _ = l.answer()
	require.False(t, first)
}

// However hook and answer meet, the answer is taken up exactly once.
func TestLaterIsTakenUpOnce(t *testing.T) {
	for range 200 {
		var l later
		var wg sync.WaitGroup
		taken := make(chan string, 8)
		for range 3 {
			wg.Go(func() {
				if first, post := l.answer(); first && post {
					taken <- "posted"
				}
			})
		}
		if l.hookReturned() {
			taken <- "inline"
		}
		wg.Wait()
		require.Len(t, taken, 1)
	}
}
