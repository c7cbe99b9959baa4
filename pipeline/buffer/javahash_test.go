package buffer

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// naiveJavaHash is the definition.
func naiveJavaHash(p []byte) int32 {
	h := int32(1)
	for i := len(p) - 1; i >= 0; i-- {
		h = 31*h + int32(int8(p[i]))
	}
	return h
}

func TestJavaHashGivesJavasNumbers(t *testing.T) {
	leakCheck(t)
	tests := []struct {
		name string
		in   []byte
		want int32
	}{
		{"500 digits", digits(500), 1714387463},
		{"100 digits", digits(100), 253820111},
		{"Symbol-1", []byte("Symbol-1"), -2123614043},
		{"Symbol-2", []byte("Symbol-2"), -380803708},
		{"Symbol-3", []byte("Symbol-3"), 1362006627},
		{"8 zero bytes", make([]byte, 8), -1807454463},
		{"16 zero bytes", make([]byte, 16), 1353309697},
		{"64 zero bytes", make([]byte, 64), 1304393729},
		{"1024 zero bytes", make([]byte, 1024), -1174962175},
		{"nothing", nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, JavaHash(tt.in))
			require.Equal(t, tt.want, naiveJavaHash(tt.in))
			b := FromBytes(tt.in)
			require.Equal(t, tt.want, b.JavaHash())
			b.Release()
			for _, parts := range []int{1, 2, 5} {
				c := NewComposite()
				for i := range parts {
					c.Append(FromBytes(tt.in[len(tt.in)*i/parts : len(tt.in)*(i+1)/parts]))
				}
				require.Equal(t, tt.want, c.JavaHash(), "%d parts", parts)
				c.Release()
			}
		})
	}
}

func TestJavaHashTakesBytesAsSigned(t *testing.T) {
	for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff} {
		for n := range 40 {
			p := make([]byte, n)
			for i := range p {
				p[i] = b
			}
			require.Equal(t, naiveJavaHash(p), JavaHash(p), "%d times %#x", n, b)
		}
	}
}

func TestJavaHashEqualsItsDefinition(t *testing.T) {
	leakCheck(t)
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "p")
		want := naiveJavaHash(p)
		if got := JavaHash(p); got != want {
			t.Fatalf("flat: %d, want %d", got, want)
		}
		i := rapid.IntRange(0, len(p)).Draw(t, "i")
		j := rapid.IntRange(i, len(p)).Draw(t, "j")
		c := ropeOf(string(p[:i]), string(p[i:j]), string(p[j:]))
		defer c.Release()
		if got := c.JavaHash(); got != want {
			t.Fatalf("cut at %d and %d: %d, want %d", i, j, got, want)
		}
	})
}

func TestJavaHashCoversOnlyTheWindow(t *testing.T) {
	leakCheck(t)
	b := FromString("xxSymbol-1")
	b.Skip(2)
	require.EqualValues(t, -2123614043, b.JavaHash())
	c := NewComposite()
	c.Append(b)
	c.Skip(7)
	require.Equal(t, naiveJavaHash([]byte("1")), c.JavaHash())
	c.Release()
}

// spanRopes are the inputs of the hash benchmarks: 500 digits in one array or five, whole or limited to 100.
func spanRopes() map[string]*Composite {
	ropes := map[string]*Composite{}
	for name, parts := range map[string]int{"Single": 1, "Multi": 5} {
		for span, n := range map[string]int{"Full500": 500, "Span100": 100} {
			c := NewComposite()
			for range parts {
				c.Append(FromBytes(digits(500 / parts)))
			}
			limited := c.Split(n)
			c.Release()
			ropes[name+"/"+span] = limited
		}
	}
	return ropes
}

func BenchmarkCompositeHash(b *testing.B) {
	for _, name := range []string{"Single/Full500", "Single/Span100", "Multi/Full500", "Multi/Span100"} {
		c := spanRopes()[name]
		want := naiveJavaHash(c.Bytes())
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(c.Len()))
			var got int32
			for b.Loop() {
				got = c.JavaHash()
			}
			require.Equal(b, want, got)
		})
		b.Run(name+"/Seeded", func(b *testing.B) { // Hash, what our own maps use
			b.ReportAllocs()
			b.SetBytes(int64(c.Len()))
			want := Hash(c.Bytes())
			var got uint64
			for b.Loop() {
				got = c.Hash()
			}
			require.Equal(b, want, got)
		})
	}
}

// bytesHashInputs are count inputs of random length within the last eight bytes below capacity, from a fixed seed.
func bytesHashInputs(capacity, count int) [][]byte {
	state := uint32(1)
	next := func() uint32 { // xorshift
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		return state
	}
	inputs := make([][]byte, count)
	for i := range inputs {
		inputs[i] = make([]byte, max(0, capacity-int(next()%8)))
		for j := range inputs[i] {
			inputs[i][j] = byte(next())
		}
	}
	return inputs
}

func BenchmarkBytesHash(b *testing.B) {
	for _, capacity := range []int{7, 24, 32} {
		for _, count := range []int{64, 4096} {
			inputs := bytesHashInputs(capacity, count)
			b.Run(fmt.Sprintf("%d/%d", capacity, count), func(b *testing.B) {
				b.ReportAllocs()
				var got, want int32
				i, ops := 0, 0
				for b.Loop() {
					got += JavaHash(inputs[i])
					i = (i + 1) & (count - 1)
					ops++
				}
				for i := range ops {
					want += naiveJavaHash(inputs[i&(count-1)])
				}
				require.Equal(b, want, got)
			})
		}
	}
}
