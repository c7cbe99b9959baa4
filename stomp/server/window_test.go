package server

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
)

// tags lists what is in a window.
func tags(w *window) (list []uint64) {
	for i := range w.len() {
		list = append(list, w.at(i).Tag)
	}
	return list
}

func TestWindowSettlesAnywhere(t *testing.T) {
	var w window
	for tag := uint64(1); tag <= 6; tag++ {
		w.push(&broker.Delivery{Tag: tag})
	}
	i, ok := w.find(3)
	require.True(t, ok)
	require.Equal(t, uint64(3), w.remove(i).Tag)
	require.Equal(t, uint64(1), w.remove(0).Tag)
	require.Equal(t, []uint64{2, 4, 5, 6}, tags(&w))
	_, ok = w.find(3)
	require.False(t, ok)
	w.insert(&broker.Delivery{Tag: 3})
	w.insert(&broker.Delivery{Tag: 1})
	require.Equal(t, []uint64{1, 2, 3, 4, 5, 6}, tags(&w))
}

// Whatever is done to a window, it is a sorted list of what is not settled, and does not grow without end.
func TestWindowIsASortedList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var w window
	var model []uint64
	next := uint64(1)
	for range 20_000 {
		switch n := r.IntN(10); {
		case len(model) < 20 && n < 6:
			w.push(&broker.Delivery{Tag: next})
			model = append(model, next)
			next++
		case len(model) > 0 && n < 8: // cumulative
			require.Equal(t, model[0], w.remove(0).Tag)
			model = model[1:]
		case len(model) > 0:
			k := r.IntN(len(model))
			i, ok := w.find(model[k])
			require.True(t, ok)
			d := w.remove(i)
			require.Equal(t, model[k], d.Tag)
			if n == 9 { // aborted
				w.insert(d)
				continue
			}
			model = slices.Delete(model, k, k+1)
		}
		require.Equal(t, len(model), w.len())
	}
	require.Equal(t, append([]uint64(nil), model...), tags(&w))
	require.LessOrEqual(t, cap(w.list), 256)
}
