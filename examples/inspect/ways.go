package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// cutter cuts input into the pieces in which it arrives.
type cutter func(input []byte) [][]byte

// randomRounds is how many times input is cut at random, with the same cuts in each run of the program.
const randomRounds = 100

// cutWays are all the ways to run something with its input cut; mode says in which of its modes it runs.
func cutWays(mode string, run func(cut cutter) (any, error)) []way {
	var ways []way
	add := func(name string, cut cutter) {
		ways = append(ways, way{name + mode, func() (any, error) { return run(cut) }})
	}
	add("whole", func(input []byte) [][]byte { return [][]byte{input} })
	add("octet by octet", func(input []byte) [][]byte { return slices.Collect(slices.Chunk(input, 1)) })
	for i := range randomRounds {
		add(fmt.Sprintf("random cuts %d", i), func(input []byte) [][]byte {
			return randomly(rand.New(rand.NewPCG(1, uint64(i))), input)
		})
	}
	return ways
}

// inputWays are the ways of cutWays for input that the case may cut itself; then it is run like that, too.
func inputWays(mode string, pieces [][]byte, run func(pieces [][]byte) (any, error)) []way {
	whole := bytes.Join(pieces, nil)
	ways := cutWays(mode, func(cut cutter) (any, error) { return run(cut(whole)) })
	if len(pieces) > 1 {
		ways = append(ways, way{"cut as the case says" + mode, func() (any, error) { return run(pieces) }})
	}
	return ways
}

func randomly(random *rand.Rand, input []byte) [][]byte {
	var pieces [][]byte
	for len(input) > 0 {
		n := 1 + random.IntN(1+random.IntN(len(input)))
		pieces = append(pieces, input[:n])
		input = input[n:]
	}
	return pieces
}
