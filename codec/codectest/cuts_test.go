package codectest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCuttingsCoverEveryPositionOfAShortInput(t *testing.T) {
	const n = 50
	names := map[string]bool{}
	pairs := map[int]bool{}
	for _, c := range cuttings(n) {
		require.False(t, names[c.name], "%s comes twice", c.name)
		names[c.name] = true
		last := 0
		for _, end := range c.ends {
			require.Greater(t, end, last, c.name)
			last = end
		}
		require.Equal(t, n, last, c.name)
		if len(c.ends) == 2 {
			pairs[c.ends[0]] = true
		}
	}
	require.True(t, names["whole"])
	require.True(t, names["byte by byte"])
	for at := 1; at < n; at++ {
		require.True(t, pairs[at], "no cut at %d", at)
	}
	require.Len(t, names, 2+n-1+randomRuns)
}

func TestCuttingsOfTinyInputs(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 2: 3} {
		require.Len(t, cuttings(n), want, "%d bytes", n)
	}
}

func TestCuttingsAreTheSameEveryTime(t *testing.T) {
	first, again := cuttings(333), cuttings(333)
	require.Equal(t, first, again)
}

func TestPositionsOfALongInputAreASelection(t *testing.T) {
	for _, n := range []int{mostCuts + 1, 10_000, 1 << 20} {
		all := positions(n)
		require.LessOrEqual(t, len(all), mostCuts+2, "%d bytes", n)
		require.Greater(t, len(all), mostCuts/2, "%d bytes", n)
		require.Equal(t, 1, all[0])
		require.Equal(t, n-1, all[len(all)-1])
		require.IsIncreasing(t, all)
	}
}
