package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// cuts runs all ways and returns how each cut the input.
func cuts(t *testing.T, ways []way) [][][]byte {
	t.Helper()
	var all [][][]byte
	for _, w := range ways {
		got, err := w.run()
		require.NoError(t, err)
		pieces, ok := got.([][]byte)
		require.True(t, ok)
		all = append(all, pieces)
	}
	return all
}

func TestEveryWayHasTheWholeInput(t *testing.T) {
	input := [][]byte{[]byte("Hello, "), []byte("world")}
	ways := inputWays(", mode", input, func(pieces [][]byte) (any, error) { return pieces, nil })
	require.Len(t, ways, 2+randomRounds+1)
	require.Equal(t, "whole, mode", ways[0].name)
	all := cuts(t, ways)
	for i, pieces := range all {
		require.Equal(t, "Hello, world", string(bytes.Join(pieces, nil)), ways[i].name)
		require.False(t, slices.ContainsFunc(pieces, func(p []byte) bool { return len(p) == 0 }), ways[i].name)
	}
	require.Len(t, all[0], 1)
	require.Len(t, all[1], 12)
	require.Equal(t, input, all[len(all)-1])
}

func TestRandomCutsAreTheSameInEachRun(t *testing.T) {
	ways := cutWays("", func(cut cutter) (any, error) { return cut([]byte("Hello, world")), nil })
	all := cuts(t, ways)
	require.Equal(t, all, cuts(t, ways))
	require.NotEqual(t, all[2], all[3])
}

func TestNoInputIsNoPieceOfOctets(t *testing.T) {
	for _, w := range cutWays("", func(cut cutter) (any, error) { return bytes.Join(cut(nil), nil), nil }) {
		got, err := w.run()
		require.NoError(t, err)
		require.Empty(t, got)
	}
}
