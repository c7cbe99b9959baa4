//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWakeReachesThePoller(t *testing.T) {
	events := 0
	var w *waker
	p, err := openPoller(func(fd int, r readiness) bool {
		require.Equal(t, w.fd, fd)
		require.NotZero(t, r&readable)
		w.drain()
		events++
		if events < 3 {
			w.wake() // also from inside
		}
		return events == 3
	})
	require.NoError(t, err)
	w, err = newWaker()
	require.NoError(t, err)
	require.NoError(t, p.watchEdges(w.fd))
	w.wake()
	w.wake()
	require.NoError(t, p.run())
	require.Equal(t, 3, events)
	w.close()
	require.NoError(t, p.close())
}

func TestWakeAfterTheEndTouchesNobodysDescriptor(t *testing.T) {
	w, err := newWaker()
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 1000 {
				w.wake()
			}
		})
	}
	w.close()
	r, file, err := os.Pipe() // has the same numbers, most likely
	require.NoError(t, err)
	all.Wait()
	w.wake()
	require.NoError(t, file.Close())
	n, _ := r.Read(make([]byte, 8))
	require.Zero(t, n)
	require.NoError(t, r.Close())
}
