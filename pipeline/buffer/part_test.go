package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartsShrinkAsTheyAreConsumed(t *testing.T) {
	leakCheck(t)
	c := ropeOf("ab", "cde", "f")
	defer c.Release()
	require.Equal(t, 3, c.Parts())
	require.Equal(t, "cde", string(c.Part(1)))
	c.Skip(3)
	require.Equal(t, 2, c.Parts())
	require.Equal(t, "de", string(c.Part(0)))
	require.Equal(t, "f", string(c.Part(1)))
	c.Skip(3)
	require.Zero(t, c.Parts())
	require.Panics(t, func() { c.Part(0) })
}

func TestRetainPartHoldsTheBufferBeyondTheComposite(t *testing.T) {
	p := NewPool(PoolConfig{})
	b := p.Get(10)
	b.AppendString("abcdef")
	c := NewComposite()
	c.Append(b)
	c.Skip(2)
	got, window := c.RetainPart(0)
	require.Same(t, b, got)
	require.Equal(t, "cdef", string(window))
	require.Equal(t, "abcdef", string(got.Bytes()), "the buffer's own window is as it was")
	c.Release()
	require.Equal(t, 1, p.Live())
	require.Equal(t, "cdef", string(window))
	got.Release()
	require.Zero(t, p.Live())
}
