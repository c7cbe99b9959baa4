package buffer

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEqualIgnoresWhereTheBytesAreCut(t *testing.T) {
	leakCheck(t)
	tests := []struct {
		name string
		a, b *Composite
		want bool
	}{
		{"same cuts", ropeOf("ab", "cd"), ropeOf("ab", "cd"), true},
		{"other cuts", ropeOf("a", "bcd"), ropeOf("abc", "d"), true},
		{"one part and many", ropeOf("abcd"), ropeOf("a", "b", "c", "d"), true},
		{"both empty", ropeOf(), ropeOf(""), true},
		{"empty and not", ropeOf(), ropeOf("a"), false},
		{"first byte differs", ropeOf("ab", "cd"), ropeOf("xbcd"), false},
		{"last byte differs", ropeOf("ab", "cd"), ropeOf("abcx"), false},
		{"prefix", ropeOf("ab", "cd"), ropeOf("abc"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, tt.a.Equal(tt.b))
			require.Equal(t, tt.want, tt.b.Equal(tt.a))
			require.Equal(t, tt.want, tt.a.EqualBytes(tt.b.Bytes()))
			same := tt.a
			require.True(t, tt.a.Equal(same))
			tt.a.Release()
			tt.b.Release()
		})
	}
}

func TestEqualComparesWhatIsLeft(t *testing.T) {
	leakCheck(t)
	a, b := ropeOf("xx", "abc"), ropeOf("yabc")
	a.Skip(2)
	b.Skip(1)
	require.True(t, a.Equal(b))
	a.Release()
	b.Release()
}

func TestCompareOrdersLikeFlatBytes(t *testing.T) {
	leakCheck(t)
	rapid.Check(t, func(t *rapid.T) {
		short := rapid.SliceOfN(rapid.ByteRange('a', 'b'), 0, 5)
		a, b, p := short.Draw(t, "a"), short.Draw(t, "b"), short.Draw(t, "p")
		c := ropeOf(string(a), string(b))
		defer c.Release()
		flat := append(bytes.Clone(a), b...)
		if got, want := c.Compare(p), bytes.Compare(flat, p); got != want {
			t.Fatalf("%q + %q against %q: %d, want %d", a, b, p, got, want)
		}
		if got, want := c.EqualBytes(p), bytes.Equal(flat, p); got != want {
			t.Fatalf("%q + %q equals %q: %v", a, b, p, got)
		}
	})
}

// equalPair returns a composite of chunks equal zero arrays, size bytes in all, and one of a single array.
func equalPair(size, chunks int) (*Composite, *Composite) {
	c := NewComposite()
	for range chunks {
		c.Append(FromBytes(make([]byte, size/chunks)))
	}
	flat := NewComposite()
	flat.Append(FromBytes(make([]byte, size)))
	return c, flat
}

func benchmarkEqual(b *testing.B, a, o *Composite, want bool) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(a.Len()))
	got := !want
	for b.Loop() {
		got = a.Equal(o)
	}
	require.Equal(b, want, got)
	a.Release()
	o.Release()
}

func BenchmarkCompositeEqual(b *testing.B) {
	for _, size := range []int{8, 16, 64, 1024} {
		for _, chunks := range []int{1, 2} {
			name := fmt.Sprintf("%d/%d", size, chunks)
			b.Run(name+"/Whole", func(b *testing.B) {
				a, o := equalPair(size, chunks)
				benchmarkEqual(b, a, o, true)
			})
			b.Run(name+"/Subset", func(b *testing.B) { // both limited to the first chunk
				a, o := equalPair(size, chunks)
				defer a.Release()
				defer o.Release()
				benchmarkEqual(b, a.Split(size/chunks), o.Split(size/chunks), true)
			})
		}
		b.Run(fmt.Sprintf("%d/Misaligned", size), func(b *testing.B) {
			a := ropeOf(string(make([]byte, size/3)), string(make([]byte, size-size/3)))
			o := ropeOf(string(make([]byte, size/2)), string(make([]byte, size-size/2)))
			benchmarkEqual(b, a, o, true)
		})
		for name, at := range map[string]int{"DiffFirst": 0, "DiffLast": size - 1} {
			b.Run(fmt.Sprintf("%d/%s", size, name), func(b *testing.B) {
				a, o := equalPair(size, 2)
				o.Part(0)[at] = 1
				benchmarkEqual(b, a, o, false)
			})
		}
	}
}
