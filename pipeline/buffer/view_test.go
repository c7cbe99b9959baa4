package buffer

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSliceAsBufferHoldsTheRoot(t *testing.T) {
	p := NewPool(PoolConfig{})
	b := p.Get(1000)
	b.Append(digits(1000))
	s := b.Slice(100, 300)
	v := s.Buffer()
	s.Release()
	p.Put(b)
	require.Equal(t, digits(1000)[100:400], v.Bytes())
	require.Equal(t, 1, p.Live())
	require.True(t, v.Unique(), "nobody else is left")
	v.Release()
	require.Zero(t, p.Live())
}

func TestViewIsAMessageLikeAnyBuffer(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	s := b.Slice(0, 300)
	v := s.Buffer()
	require.False(t, v.Unique())
	require.Zero(t, v.Room(), "bytes of others lie behind it")
	require.Equal(t, "012", string(v.Next(3)))
	require.Equal(t, digits(300), s.Bytes(), "its window is its own")
	n, err := io.Copy(io.Discard, v)
	require.NoError(t, err)
	require.EqualValues(t, 297, n)
	v.Retain()
	v.Release()
	v.Release()
	require.Contains(t, panicText(t, v.Release), "released twice (view, shared pool")
	s.Release()
	b.Release()
}

func TestAppendingToAViewMovesItAway(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	s := b.Slice(0, 300)
	v := s.Buffer()
	v.Skip(290)
	v.AppendString("tail")
	require.Equal(t, "0123456789tail", string(v.Bytes()))
	require.Equal(t, digits(1000), b.Bytes())
	require.True(t, v.Unique())
	s.Release()
	require.True(t, b.Unique(), "the view let go of it")
	b.Release()
	require.Contains(t, v.String(), "class 512, shared pool")
	v.Release()
}

func TestSharedViewDoesNotGrow(t *testing.T) {
	leakCheck(t)
	s := FromBytes(digits(1000)).Slice(0, 300)
	s.root.Release()
	v := s.Buffer()
	s.Release()
	v.Retain()
	require.Contains(t, panicText(t, func() { v.AppendByte('x') }), "grow of shared bytes")
	v.Release()
	v.Release()
}

func TestViewOfAViewKeepsBoth(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(2000))
	first := b.Slice(0, 1500)
	v := first.Buffer()
	first.Release()
	second := v.Slice(500, 600)
	inner := second.Buffer()
	second.Release()
	b.Release()
	v.Release()
	require.Equal(t, digits(2000)[500:1100], inner.Bytes())
	inner.Release()
}

func TestViewIsReadOnlyUnlessUnique(t *testing.T) {
	leakCheck(t)
	b := FromBytes(digits(1000))
	s := b.Slice(0, 300)
	b.Release()
	v := s.Buffer()
	require.Contains(t, panicText(t, func() { v.PatchUint8(0, 'x') }), "patch of shared bytes")
	s.Release()
	v.PatchUint8(0, 'x')
	require.Equal(t, "x123", string(v.Peek(4)))
	v.Release()
}
