package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestIdleListKeepsTheOrder(t *testing.T) {
	for _, gone := range [][]int{{}, {0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {2, 1, 0}} {
		var l idleList
		all := []*clientConn{{}, {}, {}}
		for _, c := range all {
			l.add(c)
		}
		left := append([]*clientConn(nil), all...)
		for _, i := range gone {
			require.True(t, l.remove(all[i]))
			require.False(t, l.remove(all[i]))
			left[i] = nil
		}
		for _, c := range left {
			if c != nil {
				require.Same(t, c, l.oldest)
				require.True(t, l.remove(c))
			}
		}
		require.Equal(t, idleList{}, l)
	}
}

func TestCallQueueServesTheFirstFirst(t *testing.T) {
	for _, gone := range [][]int{{}, {0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {2, 1, 0}} {
		var q callQueue
		all := []*Call{{}, {}, {}}
		for _, c := range all {
			q.push(c)
		}
		left := append([]*Call(nil), all...)
		for _, i := range gone {
			require.True(t, q.remove(all[i]))
			require.False(t, q.remove(all[i]))
			left[i] = nil
		}
		for _, c := range left {
			if c != nil {
				require.Same(t, c, q.pop())
			}
		}
		require.Nil(t, q.pop())
		require.Equal(t, callQueue{}, q)
	}
}

func TestQueueCountsTheOctetsOfPieces(t *testing.T) {
	piece := func(text string) *Content {
		b := buffer.FromString(text)
		defer b.Release()
		return NewContent(b.ReadSlice(b.Len()))
	}
	var q queue
	require.Nil(t, q.peek())
	q.put(NewResponse(200), 0)
	q.put(piece("hello"), 5)
	q.put(piece("you"), 3)
	require.Equal(t, 8, q.bytes)
	buffer.Release(q.next())
	require.Equal(t, 8, q.bytes)
	buffer.Release(q.next())
	require.Equal(t, 3, q.bytes)
	q.drop()
	require.Zero(t, q.bytes)
	require.True(t, q.empty())
}
