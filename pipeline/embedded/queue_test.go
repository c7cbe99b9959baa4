package embedded

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQueueGivesItemsInOrder(t *testing.T) {
	var q queue[int]
	require.Zero(t, q.len())
	for i := range 3 {
		q.push(i)
	}
	require.Equal(t, 3, q.len())
	require.Equal(t, 0, q.peek())
	require.Equal(t, 0, q.pop())
	q.push(3)
	for want := 1; want <= 3; want++ {
		require.Equal(t, want, q.pop())
	}
	require.Zero(t, q.len())
}

func TestQueueForgetsWhatItGave(t *testing.T) {
	var q queue[*int]
	q.push(new(int))
	q.push(new(int))
	q.pop()
	require.Nil(t, q.items[0], "the garbage collector may have it")
	q.pop()
	require.Empty(t, q.items)
	require.Nil(t, q.items[:2][1])
}

func TestQueueReusesItsMemory(t *testing.T) {
	var q queue[int]
	for range 1000 {
		q.push(1)
		q.push(2)
		q.pop()
		q.pop()
	}
	require.LessOrEqual(t, cap(q.items), 2)
}
