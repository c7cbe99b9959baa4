//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transport

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestWritevTakesAnyPieces(t *testing.T) {
	for name, sizes := range map[string][]int{
		"one":               {10},
		"one that is empty": {0},
		"two":               {1, 2},
		"some empty":        {0, 3, 0, 0, 4, 0},
		"as many as fit":    repeat(5, maxIovecs),
		"more than that":    repeat(5, maxIovecs+1),
		"none":              {},
		"all of them empty": repeat(0, 3),
	} {
		t.Run(name, func(t *testing.T) {
			ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			require.NoError(t, err)
			defer func() { require.NoError(t, unix.Close(ends[1])) }()
			c := &conn{loop: &eventLoop{}, fd: ends[0]}
			var pieces [][]byte
			var want []byte
			for i, n := range sizes {
				piece := fill(n + i)[i:]
				pieces = append(pieces, piece)
				if i < maxIovecs {
					want = append(want, piece...)
				}
			}
			n, err := c.Writev(pieces)
			require.NoError(t, err)
			require.Equal(t, len(want), n)
			require.NoError(t, unix.Close(ends[0]))
			got := make([]byte, 1<<12)
			n, _ = unix.Read(ends[1], got)
			require.Equal(t, string(want), string(got[:max(n, 0)]))
			require.Equal(t, [maxIovecs]unix.Iovec{}, c.loop.iov, "nothing is kept")
		})
	}
}

func repeat(n, times int) []int {
	all := make([]int, times)
	for i := range all {
		all[i] = n
	}
	return all
}
