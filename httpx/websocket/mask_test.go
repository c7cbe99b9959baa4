package websocket

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// naive is masking as RFC 6455, 5.3, writes it down.
func naive(key [4]byte, p []byte) []byte {
	out := make([]byte, len(p))
	for i := range p {
		out[i] = p[i] ^ key[i%4]
	}
	return out
}

func TestMaskingInPiecesIsMaskingOctetByOctet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "key"))
		p := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "payload")
		want := naive(key, p)
		m := mask(binary.LittleEndian.Uint32(key[:]))
		got := bytes.Clone(p)
		for rest := got; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			m = m.apply(rest[:n], rest[:n])
			rest = rest[n:]
		}
		require.Equal(t, want, got)
		other := make([]byte, len(p))
		mask(binary.LittleEndian.Uint32(key[:])).apply(other, p)
		require.Equal(t, want, other)
	})
}

func TestMaskingKeysDoNotRepeat(t *testing.T) {
	seen := map[mask]int{}
	for range 10_000 {
		seen[newMask()]++
	}
	require.Greater(t, len(seen), 9_900)
}

func BenchmarkMask(b *testing.B) {
	p := make([]byte, 64<<10)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		mask(0x12345678).apply(p, p)
	}
}

func BenchmarkMaskingKey(b *testing.B) {
	for b.Loop() {
		newMask()
	}
}
