package codectest

import (
	"fmt"
	"math/rand/v2"
)

const (
	mostCuts   = 2048 // positions of a cut that are tried; longer inputs: the ends, and some in between
	randomRuns = 64
	seed       = 0x70656e73746f636b // fixed, so that a failure comes again
)

// a cutting is one way to cut an input into pieces.
type cutting struct {
	name string
	ends []int // offsets behind each piece; the last is the input's length
}

// cuttings lists the ways in which an input of n bytes arrives: whole, byte by byte, in two pieces with every possible
// cut, and in random pieces. Every byte and every cut means a selection when the input is long.
func cuttings(n int) []cutting {
	all := []cutting{{name: "whole", ends: []int{n}}}
	if n > 1 {
		all = append(all, cutting{"byte by byte", single(n)})
	}
	for _, at := range positions(n) {
		all = append(all, cutting{fmt.Sprintf("cut at %d", at), []int{at, n}})
	}
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	for run := 0; run < randomRuns && n > 2; run++ {
		all = append(all, randomCut(r, run, n))
	}
	return all
}

// single cuts at every position.
func single(n int) []int { return append(positions(n), n) }

// positions are the places inside n bytes where they are cut in two.
func positions(n int) []int {
	var all []int
	if n <= mostCuts {
		for at := 1; at < n; at++ {
			all = append(all, at)
		}
		return all
	}
	const dense = mostCuts / 4
	step := (n - 2*dense) / (mostCuts - 2*dense)
	for at := 1; at < n; at++ {
		if at < dense || at > n-dense || at%(step+1) == 0 {
			all = append(all, at)
		}
	}
	return all
}

// randomCut cuts into pieces of up to a length that differs from run to run.
func randomCut(r *rand.Rand, run, n int) cutting {
	c := cutting{name: fmt.Sprintf("random cut %d", run)}
	most := 1 + r.IntN(n)
	for at := 0; at < n; {
		at = min(n, at+1+r.IntN(most))
		c.ends = append(c.ends, at)
	}
	return c
}
