package buffer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPeekCopiesOnlyAcrossASeam(t *testing.T) {
	leakCheck(t)
	c := ropeOf("abc", "def")
	defer c.Release()
	require.Same(t, &c.Part(0)[0], &c.Peek(3)[0])
	require.Equal(t, "abcd", string(c.Peek(4)))
	require.NotSame(t, &c.Part(0)[0], &c.Peek(4)[0])
	require.Equal(t, 6, c.Len(), "nothing was consumed")
	require.Equal(t, "abcdef", string(c.Peek(6)))
}

func TestPeekedBytesCannotBeAppendedInto(t *testing.T) {
	leakCheck(t)
	c := ropeOf("abc", "def")
	defer c.Release()
	_ = append(c.Peek(2), 'x')
	require.Equal(t, "abcdef", string(c.Bytes()))
}

func TestNextConsumesAtEveryPlace(t *testing.T) {
	leakCheck(t)
	const flat = "hello world"
	for i := range len(flat) + 1 {
		for n := range len(flat) - i + 1 {
			c := ropeOf("he", "llo", " ", "world")
			c.Skip(i)
			require.Equal(t, flat[i:i+n], string(c.Next(n)))
			require.Equal(t, flat[i+n:], string(c.Bytes()))
			c.Release()
		}
	}
}

func TestNextKeepsItsBytesUntilTheNextCall(t *testing.T) {
	p := NewPool(PoolConfig{})
	c := NewComposite()
	for _, s := range []string{"abc", "def"} {
		b := p.Get(3)
		b.AppendString(s)
		c.Append(b)
	}
	got := c.Next(3)
	require.Equal(t, 2, p.Live(), "the used-up part lives on")
	require.Equal(t, "abc", string(got))
	c.Skip(1)
	require.Equal(t, 1, p.Live())
	c.Next(2)
	require.Equal(t, 1, p.Live())
	c.Release()
	require.Zero(t, p.Live())
}

func TestSkipReleasesUsedUpPartsAtOnce(t *testing.T) {
	p := NewPool(PoolConfig{})
	c := NewComposite()
	for range 5 {
		b := p.Get(2)
		b.AppendString("ab")
		c.Append(b)
	}
	for n := 1; n <= 10; n++ {
		c.Skip(1)
		require.Equal(t, 5-n/2, p.Live())
	}
	c.Release()
}

func TestAtFindsEveryByteInAnyOrder(t *testing.T) {
	leakCheck(t)
	const flat = "hello world"
	c := ropeOf("he", "llo", " ", "world")
	defer c.Release()
	for i := range len(flat) {
		require.Equal(t, flat[i], c.At(i))
	}
	for i := len(flat) - 1; i >= 0; i-- {
		require.Equal(t, flat[i], c.At(i))
	}
	for i := range 10 * len(flat) {
		at := i * 7 % len(flat)
		require.Equal(t, flat[at], c.At(at))
	}
	c.Skip(4)
	require.EqualValues(t, 'o', c.At(0), "relative to what is left")
	require.EqualValues(t, 'd', c.At(6))
}

func TestIndexByteSearchesAllParts(t *testing.T) {
	leakCheck(t)
	c := ropeOf("he", "llo", " ", "world")
	defer c.Release()
	for _, tt := range []struct {
		b    byte
		want int
	}{{'h', 0}, {'l', 2}, {' ', 5}, {'w', 6}, {'d', 10}, {'x', -1}} {
		require.Equal(t, tt.want, c.IndexByte(tt.b), "%q", tt.b)
	}
	c.Skip(3)
	require.Equal(t, 0, c.IndexByte('l'))
}

func TestCompositeReadsFixedWidthNumbersAtEverySeam(t *testing.T) {
	leakCheck(t)
	for _, tt := range fixedReads {
		if tt.composite == nil {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			for i := range 9 {
				for j := i; j <= 8; j++ {
					c := ropeOf(string(eightBytes[:i]), string(eightBytes[i:j]), string(eightBytes[j:]))
					require.Equal(t, tt.want, tt.composite(c), "cut at %d and %d", i, j)
					require.True(t, c.EqualBytes(eightBytes[tt.bytes:]))
					c.Release()
				}
			}
		})
	}
}

func TestCompositeReadsPastTheEndPanic(t *testing.T) {
	leakCheck(t)
	c := ropeOf("a", "b", "c")
	defer c.Release()
	tests := map[string]func(n int){
		"Peek":  func(n int) { c.Peek(n) },
		"Next":  func(n int) { c.Next(n) },
		"Skip":  c.Skip,
		"Split": func(n int) { c.Split(n) },
		"At":    func(n int) { c.At(n) },
	}
	for name, read := range tests {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{4, math.MaxInt, -1} {
				panicText(t, func() { read(n) })
			}
			require.Equal(t, "abc", string(c.Bytes()))
		})
	}
	panicText(t, func() { c.At(3) })
	for _, tt := range fixedReads {
		if tt.composite != nil && tt.bytes > 3 {
			panicText(t, func() { tt.composite(c) })
		}
	}
}

func TestScratchIsReused(t *testing.T) {
	leakCheck(t)
	c := ropeOf(string(digits(50)), string(digits(50)), string(digits(2000)))
	defer c.Release()
	first := &c.Peek(60)[0]
	require.Same(t, first, &c.Peek(64)[0])
	require.Equal(t, append(digits(50), append(digits(50), digits(1900)...)...), c.Peek(2000), "and grows")
	require.Equal(t, string(digits(50))+"01", string(c.Peek(52)), "and shrinks")
}
