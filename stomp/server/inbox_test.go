package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
)

// drain empties a list and returns its tags.
func drain(l *fifo) (list []uint64) {
	for d := l.pop(); d != nil; d = l.pop() {
		list = append(list, d.Tag)
	}
	return list
}

// filled is a list of tags.
func filled(tags ...uint64) fifo {
	var l fifo
	for _, tag := range tags {
		l.push(&broker.Delivery{Tag: tag})
	}
	return l
}

func TestFifoKeepsItsOrder(t *testing.T) {
	l := filled(1, 2, 3)
	require.Equal(t, 3, l.n)
	require.Equal(t, []uint64{1, 2, 3}, drain(&l))
	require.Equal(t, fifo{}, l)
}

func TestFifoMovesWhole(t *testing.T) {
	for _, c := range []struct{ to, from, want []uint64 }{
		{nil, nil, nil},
		{[]uint64{1}, nil, []uint64{1}},
		{nil, []uint64{2, 3}, []uint64{2, 3}},
		{[]uint64{1, 2}, []uint64{3, 4}, []uint64{1, 2, 3, 4}},
	} {
		to, from := filled(c.to...), filled(c.from...)
		to.move(&from)
		require.Equal(t, fifo{}, from)
		require.Equal(t, len(c.want), to.n)
		require.Equal(t, c.want, drain(&to))
	}
}

func TestFifoForgetsWhatItGivesAway(t *testing.T) {
	l := filled(1, 2)
	require.Nil(t, l.pop().Next)
}

func TestWritersTakeTurns(t *testing.T) {
	var w writers
	a, b, empty, stopped := &subscription{}, &subscription{}, &subscription{}, &subscription{stopped: true}
	for _, sub := range []*subscription{a, b, stopped} {
		sub.waiting = filled(1, 2)
	}
	for _, sub := range []*subscription{a, b, empty, stopped, a} {
		w.add(sub)
	}
	require.Same(t, a, w.pop())
	w.add(a)
	require.Same(t, b, w.pop())
	require.Same(t, a, w.pop())
	require.Nil(t, w.head)
	require.Nil(t, w.tail)
}
