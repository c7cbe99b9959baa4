package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFIFOKeepsTheOrderWhileItGrows(t *testing.T) {
	var f fifo[int]
	require.Zero(t, f.peek())
	require.Zero(t, f.pop())
	in, out := 0, 0
	for _, step := range []int{3, -2, 5, -1, 200, -100, 50, -155, 4, -4} {
		for range max(step, 0) {
			in++
			f.push(in)
		}
		for range max(-step, 0) {
			out++
			require.Equal(t, out, f.peek())
			require.Equal(t, out, f.pop())
		}
		require.Equal(t, in-out, f.n)
	}
	require.LessOrEqual(t, len(f.ring), keptFIFO, "a peak is over")
}

func TestFIFOKeepsNothingThatWasTaken(t *testing.T) {
	var f fifo[*int]
	f.push(new(int))
	f.pop()
	for _, p := range f.ring {
		require.Nil(t, p)
	}
}
