package client

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A list of requests does what a slice does.
func TestRequestsAreAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists [2]requests
		var models [2][]*request
		check := func() {
			for i := range lists {
				var got []*request
				for r := lists[i].first; r != nil; r = r.next {
					require.Same(t, &lists[i], r.list)
					got = append(got, r)
				}
				require.True(t, slices.Equal(models[i], got))
				require.Equal(t, len(models[i]), lists[i].n)
				if len(got) > 0 {
					require.Same(t, got[len(got)-1], lists[i].last)
				}
			}
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			i := rapid.IntRange(0, 1).Draw(t, "list")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				r := &request{}
				lists[i].push(r)
				models[i] = append(models[i], r)
			case 2:
				if n := len(models[i]); n > 0 {
					k := rapid.IntRange(0, n-1).Draw(t, "which")
					r := models[i][k]
					lists[1-i].remove(r) // is not in it
					lists[i].remove(r)
					lists[i].remove(r)
					models[i] = append(models[i][:k:k], models[i][k+1:]...)
				}
			case 3:
				lists[i].append(&lists[1-i])
				models[i], models[1-i] = append(models[i], models[1-i]...), nil
			}
			check()
		}
	})
}

func TestNoListHasNothingToRemove(t *testing.T) {
	var none *requests
	none.remove(&request{})
}
