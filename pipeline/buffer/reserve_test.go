package buffer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReserveLendsTheRoomAndCommitMakesItReadable(t *testing.T) {
	leakCheck(t)
	b := FromString("ab")
	defer b.Release()
	room := b.Reserve(10)
	require.Len(t, room, 10)
	copy(room, "cdefghijkl")
	require.Equal(t, "ab", string(b.Bytes()))
	b.Commit(3)
	require.Equal(t, "abcde", string(b.Bytes()))
	b.Commit(0)
	require.Equal(t, 5, b.Len())
	require.Empty(t, b.Reserve(0))
}

func TestCommitBeyondTheRoomPanics(t *testing.T) {
	leakCheck(t)
	b := Get(64)
	defer b.Release()
	for _, n := range []int{65, math.MaxInt, -1} {
		require.Contains(t, panicText(t, func() { b.Commit(n) }), "Commit of")
	}
	b.Commit(64)
	require.Zero(t, b.Room())
}

func TestGrowTakesNegativeForMisuse(t *testing.T) {
	leakCheck(t)
	b := Get(64)
	defer b.Release()
	require.Contains(t, panicText(t, func() { b.Grow(-1) }), "Grow of -1 bytes")
	require.Contains(t, panicText(t, func() { b.Reserve(-1) }), "Grow of -1 bytes")
}

func TestGrowDoesNothingWhileThereIsRoom(t *testing.T) {
	leakCheck(t)
	b := FromString("abc")
	defer b.Release()
	before := &b.Bytes()[0]
	b.Grow(61)
	require.Same(t, before, &b.Bytes()[0])
	b.Retain()
	b.Grow(61) // also when shared
	b.Release()
}

func TestGrowMovesDownOverConsumedBytes(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(64))
	defer b.Release()
	array := &b.data[0]
	b.Skip(40)
	b.Grow(30) // 24 bytes left, 40 consumed
	require.Same(t, array, &b.data[0], "the same array")
	require.Equal(t, digits(64)[40:], b.Bytes())
	require.Equal(t, 40, b.Room())
}

func TestGrowDoesNotMoveMoreThanWasConsumed(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(64))
	defer b.Release()
	b.Skip(20)
	b.Grow(10) // moving 44 bytes down for 20 of room would be paid again and again
	require.Greater(t, b.Cap(), 64)
	require.Equal(t, digits(64)[20:], b.Bytes())
}

func TestGrowKeepsHomeAndCounts(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	b := p.Get(64)
	b.AppendString("abc")
	b.Grow(5000)
	require.Equal(t, "abc", string(b.Bytes()))
	require.Equal(t, 1, p.Live())
	p.Put(b)
	require.Zero(t, p.Live())
	require.Equal(t, 8192, p.Stats().HeldBytes, "the larger array stays with the loop")
	b = p.Get(8192)
	require.EqualValues(t, 1, p.Stats().Hits)
	p.Put(b)
}

func TestGrowLeavesAndEntersPlainMemory(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	b := p.Get(maxPooled)
	b.Commit(maxPooled)
	b.Grow(1)
	require.GreaterOrEqual(t, b.Cap(), maxPooled+maxPooled/2)
	require.Contains(t, b.String(), "unpooled")
	p.Put(b)
	require.Zero(t, p.Stats().HeldBytes)
	require.Zero(t, p.Live())

	w := Wrap([]byte("ab"))
	w.AppendByte('c')
	require.Contains(t, w.String(), "class 64, shared pool")
	w.Release()
}

func TestGrownSharedPoolBufferIsCountedInItsNewClass(t *testing.T) {
	leakCheck(t)
	before := SharedStats()
	b := Get(64)
	b.Grow(5000)
	require.Equal(t, before.Live+1, SharedStats().Live)
	b.Release()
	require.Equal(t, before.Live, SharedStats().Live)
	require.Equal(t, before.Gets+1, SharedStats().Gets)
}

func TestGrowHandsTheOldArrayBack(t *testing.T) {
	leakCheck(t)
	b := FromString("abc")
	array := b.data
	b.Grow(1000)
	if Debug {
		require.EqualValues(t, 0xdb, array[0], "poisoned")
	}
	b.Release()
}
