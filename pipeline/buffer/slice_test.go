package buffer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCore44SliceOutlivesItsRoot(t *testing.T) {
	p := NewPool(PoolConfig{Name: "loop 1"})
	b := p.Get(1024)
	b.AppendString("hello")
	b.Append(make([]byte, 1019))
	want := append([]byte("hello"), make([]byte, 507)...)

	s := b.Slice(0, 512)
	p.Put(b)
	require.Equal(t, want, s.Bytes(), "readable after the root's release")
	require.Equal(t, 1, p.Live())
	require.Zero(t, p.Stats().HeldBytes, "the memory is not back yet")
	s.Release()
	require.Zero(t, p.Live())
	require.Equal(t, 1024, p.Stats().HeldBytes)
	require.Contains(t, panicText(t, s.Release), "buffer: ")
}

func TestSliceOfUpTo256BytesIsACopy(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	for _, n := range []int{1, 255, 256} {
		s := b.Slice(10, n)
		require.Equal(t, digits(1000)[10:10+n], s.Bytes())
		require.True(t, b.Unique(), "%d bytes: the root is untouched", n)
		s.Release()
	}
	s := b.Slice(10, 257)
	require.False(t, b.Unique())
	require.Same(t, &b.Bytes()[10], &s.Bytes()[0])
	s.Release()
	require.True(t, b.Unique())
	b.Release()
}

func TestSmallSliceIsCountedByTheRootsPool(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	b := p.Get(100)
	b.AppendString("0123456789")
	s := b.Slice(2, 3)
	require.Equal(t, 2, p.Live())
	p.Put(b)
	require.Equal(t, "234", string(s.Bytes()))
	require.Equal(t, 1, p.Live())
	s.Release()
	require.Zero(t, p.Live())
}

func TestSliceIsRelativeToTheWindow(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1003))
	b.Skip(3)
	small, large := b.Slice(1, 4), b.Slice(1, 500)
	require.Equal(t, "4567", string(small.Bytes()))
	require.Equal(t, digits(1003)[4:504], large.Bytes())
	b.Skip(900) // the window moves on, the slices stay
	require.Equal(t, digits(1003)[4:504], large.Bytes())
	small.Release()
	large.Release()
	b.Release()
}

func TestReadSliceConsumes(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	head, body := b.ReadSlice(10), b.ReadSlice(900)
	require.Equal(t, digits(10), head.Bytes())
	require.Equal(t, digits(1000)[10:910], body.Bytes())
	require.Equal(t, 90, b.Len())
	head.Release()
	body.Release()
	b.Release()
}

func TestSliceOutsideTheWindowPanics(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	defer b.Release()
	s := b.Slice(0, 500)
	defer s.Release()
	for _, at := range [][2]int{{-1, 2}, {0, -1}, {0, 1001}, {1000, 1}, {1, math.MaxInt}, {math.MaxInt, 1}} {
		require.Contains(t, panicText(t, func() { b.Slice(at[0], at[1]) }), "Slice of")
		require.Contains(t, panicText(t, func() { s.Sub(at[0], at[1]) }), "Slice.Sub of")
	}
	panicText(t, func() { b.ReadSlice(1001) })
	require.Equal(t, 1000, b.Len())
}

func TestZeroSliceIsEmpty(t *testing.T) {
	leakCheck(t)
	var s Slice
	require.Empty(t, s.Bytes())
	require.Zero(t, s.Len())
	s.Retain()
	s.Release()
	s.Sub(0, 0).Release()

	b := FromString("x")
	defer b.Release()
	require.Equal(t, Slice{}, b.Slice(1, 0))
	require.True(t, b.Unique())
}

func TestSubHasItsOwnReference(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	s := b.Slice(100, 800)
	b.Release()
	sub := s.Sub(50, 20)
	s.Release()
	require.Equal(t, digits(1000)[150:170], sub.Bytes())
	require.Equal(t, 20, sub.Len())
	sub.Release()
}

func TestSliceBytesCannotBeAppendedInto(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	s := b.Slice(0, 500)
	_ = append(s.Bytes(), 'x')
	require.Equal(t, digits(1000), b.Bytes())
	s.Release()
	b.Release()
}

func TestRootCanBeFilledWhileSlicesLive(t *testing.T) {
	leakCheck(t)
	b := Get(4096)
	b.Append(digits(1000))
	s := b.ReadSlice(1000)
	b.Append(digits(3000)) // the next read of a socket
	require.Equal(t, digits(1000), s.Bytes())
	require.Equal(t, digits(3000), b.Bytes())
	require.Contains(t, panicText(t, func() { b.Grow(1000) }), "grow of shared bytes")
	s.Release()
	b.Grow(1000)
	b.Release()
}

func TestPinnedIsTheMemoryBehindASlice(t *testing.T) {
	leakCheck(t)
	require.Zero(t, Slice{}.Pinned())
	b := FromBytes(digits(1000))
	large, small := b.Slice(0, 300), b.Slice(0, 10)
	require.Equal(t, b.Cap(), large.Pinned())
	require.Less(t, small.Pinned(), 300, "a copy")
	view := large.Buffer()
	again := view.Slice(0, 300)
	require.Equal(t, b.Cap(), again.Pinned(), "behind a view")
	for _, s := range []Slice{large, small, again} {
		s.Release()
	}
	view.Release()
	b.Release()
}
