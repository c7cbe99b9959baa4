package buffer

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCore45RopeReadsAsItsFlatBytes(t *testing.T) {
	p := NewPool(PoolConfig{})
	parts := []string{"he", "llo", " ", "world"}
	flat := strings.Join(parts, "")
	rope := func() *Composite {
		c := NewComposite()
		for _, s := range parts {
			b := p.GetShared(len(s))
			b.AppendString(s)
			c.Append(b)
		}
		return c
	}
	c := rope()
	require.Equal(t, "hello", string(c.Peek(5)))
	require.Equal(t, strings.IndexByte(flat, 'w'), c.IndexByte('w'))
	require.True(t, c.EqualBytes([]byte(flat)))
	require.Equal(t, Hash([]byte(flat)), c.Hash())
	require.Equal(t, JavaHash([]byte(flat)), c.JavaHash())
	c.Skip(1)
	require.EqualValues(t, 'e'<<8|'l', c.ReadUint16(), "across the seam")
	c.Release()

	c = rope()
	windows := c.Iovecs(nil)
	front := c.Split(6)
	require.Equal(t, "hello ", string(front.Bytes()))
	require.Equal(t, "world", string(c.Bytes()))
	require.Same(t, &windows[3][0], &c.Part(0)[0], "no payload was copied")
	require.Same(t, &windows[0][0], &front.Part(0)[0])
	require.Equal(t, 4, p.Live())
	front.Release()
	require.Equal(t, 1, p.Live())
	c.Release()
	require.Zero(t, p.Live())
}

func TestCore45HashesAreIndependentOfChunking(t *testing.T) {
	leakCheck(t)
	flat := "hello world"
	other := ropeOf(flat)
	defer other.Release()
	for i := range len(flat) + 1 {
		for j := i; j <= len(flat); j++ {
			c := ropeOf(flat[:i], flat[i:j], flat[j:])
			require.Equal(t, Hash([]byte(flat)), c.Hash(), "cut at %d and %d", i, j)
			require.Equal(t, JavaHash([]byte(flat)), c.JavaHash())
			require.True(t, c.Equal(other))
			require.True(t, other.Equal(c))
			c.Release()
		}
	}
}

func TestCore45SplitCountsAtEveryPlace(t *testing.T) {
	p := NewPool(PoolConfig{})
	for n := range 12 {
		c := NewComposite()
		for _, s := range []string{"he", "llo", " ", "world"} {
			b := p.GetShared(8)
			b.AppendString(s)
			c.Append(b)
		}
		front := c.Split(n)
		require.Equal(t, "hello world"[:n], string(front.Bytes()))
		require.Equal(t, "hello world"[n:], string(c.Bytes()))
		require.Equal(t, n, front.Len())
		if n%2 == 0 {
			front, c = c, front
		}
		front.Release()
		c.Release()
		require.Zero(t, p.Live(), "split at %d", n)
	}
}

func TestCompositeTakesReferences(t *testing.T) {
	p := NewPool(PoolConfig{})
	b := p.Get(1000)
	b.Append(digits(1000))
	c := NewComposite()
	c.AppendSlice(b.Slice(0, 500))
	c.Append(b)
	require.Equal(t, 1500, c.Len())
	require.Equal(t, 2, c.Parts())
	require.False(t, b.Unique())
	c.Release()
	require.Zero(t, p.Live())
}

func TestCompositeReleasesEmptyParts(t *testing.T) {
	p := NewPool(PoolConfig{})
	c := NewComposite()
	c.Append(p.Get(10))
	c.AppendSlice(Slice{})
	require.Zero(t, c.Parts())
	require.Zero(t, p.Live())
	c.Release()
}

func TestCompositeKeepsTheWindowOfTheMoment(t *testing.T) {
	leakCheck(t)
	b := FromString("abcdef")
	b.Skip(1)
	c := NewComposite()
	b.Retain()
	c.Append(b)
	b.Skip(2)
	b.AppendString("gh")
	require.Equal(t, "bcdef", string(c.Bytes()))
	b.Release()
	c.Release()
}

func TestAppendCompositeMovesTheParts(t *testing.T) {
	p := NewPool(PoolConfig{})
	get := func(s string) *Buffer {
		b := p.Get(len(s))
		b.AppendString(s)
		return b
	}
	c, o := NewComposite(), NewComposite()
	c.Append(get("ab"))
	o.Append(get("cd"))
	o.Append(get("ef"))
	o.Skip(1)
	c.AppendComposite(o)
	require.Equal(t, "abdef", string(c.Bytes()))
	require.Equal(t, 3, c.Parts())
	require.Equal(t, 3, p.Live())
	c.Release()
	require.Zero(t, p.Live())
}

func TestAppendCompositeLeavesASharedOneWhole(t *testing.T) {
	leakCheck(t)
	c, o := ropeOf("ab"), ropeOf("cd", "ef")
	o.Retain()
	c.AppendComposite(o)
	require.Equal(t, "abcdef", string(c.Bytes()))
	require.Equal(t, "cdef", string(o.Bytes()))
	c.Release()
	require.Equal(t, "cdef", string(o.Bytes()))
	o.Release()
}

func TestAppendCompositeToItselfPanics(t *testing.T) {
	leakCheck(t)
	c := ropeOf("ab")
	defer c.Release()
	require.Contains(t, panicText(t, func() { c.AppendComposite(c) }), "appended to itself")
}

func TestCompositeReleaseTwicePanics(t *testing.T) {
	leakCheck(t)
	c := ropeOf("ab", "cd")
	c.Retain()
	c.Release()
	require.Equal(t, "abcd", string(c.Bytes()))
	c.Release()
	require.Contains(t, panicText(t, c.Release), "buffer: composite released twice")
	require.Contains(t, panicText(t, c.Retain), "buffer: composite retained after release")
}

func TestEmptyCompositeAnswersLikeNoBytes(t *testing.T) {
	leakCheck(t)
	c := NewComposite()
	defer c.Release()
	require.Zero(t, c.Len())
	require.Empty(t, c.Bytes())
	require.Empty(t, c.Peek(0))
	require.Empty(t, c.Next(0))
	require.Empty(t, c.Iovecs(nil))
	require.Equal(t, -1, c.IndexByte('x'))
	require.Equal(t, Hash(nil), c.Hash())
	require.Equal(t, int32(1), c.JavaHash())
	require.Zero(t, c.CRC32C())
	require.True(t, c.EqualBytes(nil))
	c.Skip(0)
	c.Split(0).Release()
	c.View().Release()
}

func TestCompositeHoldsMorePartsThanFitInline(t *testing.T) {
	leakCheck(t)
	var flat strings.Builder
	c := NewComposite()
	for i := range 3 * keptParts {
		s := string(rune('a' + i%26))
		flat.WriteString(s)
		c.Append(FromString(s))
	}
	require.Equal(t, flat.String(), string(c.Bytes()))
	require.Equal(t, 3*keptParts, c.Parts())
	c.Release()
	require.LessOrEqual(t, cap(c.parts), keptParts, "a pooled header keeps no long list")
}

func TestCompositeUsedAsAQueueDoesNotGrow(t *testing.T) {
	leakCheck(t)
	c := ropeOf("0", "1", "2")
	for i := range 1000 {
		c.Append(FromString(string(rune('0' + (i+3)%10))))
		require.Equal(t, '0'+byte(i%10), c.ReadUint8())
	}
	require.LessOrEqual(t, cap(c.parts), 2*inlineParts)
	require.Equal(t, "012", string(c.Bytes()))
	c.Release()
}

func TestCompositeStringHidesThePayload(t *testing.T) {
	leakCheck(t)
	c := ropeOf("sec", "ret")
	defer c.Release()
	require.Equal(t, "composite 6 bytes in 2 parts, refs 1", c.String())
}

func TestCompositeReferencesOnManyGoroutines(t *testing.T) {
	p := NewPool(PoolConfig{})
	for range 100 {
		c := NewComposite()
		for range 6 {
			b := p.Get(10)
			b.AppendString("x")
			c.Append(b)
		}
		var holders sync.WaitGroup
		for range 4 {
			c.Retain()
			holders.Go(c.Release)
		}
		c.Release()
		holders.Wait()
	}
	require.Zero(t, p.Live())
}
