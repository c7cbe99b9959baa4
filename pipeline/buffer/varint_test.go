package buffer

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var uvarints = []uint64{0, 1, 127, 128, 300, 16383, 16384, 1<<21 - 1, 1 << 28, 1 << 35, 1<<63 - 1, 1 << 63, math.MaxUint64}

func TestUvarintLenIsThatOfTheEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64().Draw(t, "v") >> rapid.IntRange(0, 63).Draw(t, "shift")
		if got, want := uvarintLen(v), len(binary.AppendUvarint(nil, v)); got != want {
			t.Fatalf("%d: %d bytes, want %d", v, got, want)
		}
	})
}

func TestBufferVarintsRoundTrip(t *testing.T) {
	leakCheck(t)
	for _, u := range uvarints {
		b := Get(64)
		b.AppendUvarint(u)
		require.Equal(t, binary.AppendUvarint(nil, u), b.Bytes())
		size := b.Len()
		v, n := b.PeekUvarint()
		require.Equal(t, u, v)
		require.Equal(t, size, n)
		require.Equal(t, size, b.Len(), "peeking consumes nothing")
		v, n = b.ReadUvarint()
		require.Equal(t, u, v)
		require.Equal(t, size, n)
		require.Zero(t, b.Len())

		for _, i := range []int64{int64(u), -int64(u)} {
			b.AppendVarint(i)
			require.Equal(t, binary.AppendVarint(nil, i), b.Bytes())
			got, n := b.PeekVarint()
			require.Equal(t, i, got)
			require.Equal(t, b.Len(), n)
			got, _ = b.ReadVarint()
			require.Equal(t, i, got)
			require.Zero(t, b.Len())
		}
		b.Release()
	}
}

// badVarints are cut short or too long.
var badVarints = []struct {
	name  string
	bytes string
	short bool
}{
	{"empty", "", true},
	{"one of two bytes", "\x80", true},
	{"nine of ten bytes", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", true},
	{"65 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", false},
	{"eleven bytes", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", false},
}

func TestBufferVarintsThatAreNotThereConsumeNothing(t *testing.T) {
	leakCheck(t)
	for _, tt := range badVarints {
		t.Run(tt.name, func(t *testing.T) {
			b := FromString(tt.bytes)
			defer b.Release()
			_, peeked := b.PeekUvarint()
			_, read := b.ReadUvarint()
			_, peekedSigned := b.PeekVarint()
			_, readSigned := b.ReadVarint()
			for _, n := range []int{peeked, read, peekedSigned, readSigned} {
				if tt.short {
					require.Zero(t, n)
				} else {
					require.Negative(t, n)
				}
			}
			require.Equal(t, tt.bytes, string(b.Bytes()))
		})
	}
}

func TestCompositeVarintsAtEverySeam(t *testing.T) {
	leakCheck(t)
	for _, u := range uvarints {
		flat := string(binary.AppendUvarint(nil, u)) + "tail"
		for cut := range len(flat) {
			c := ropeOf(flat[:cut], flat[cut:])
			v, n := c.PeekUvarint()
			require.Equal(t, u, v)
			require.Equal(t, len(flat)-4, n)
			require.Equal(t, len(flat), c.Len())
			v, n = c.ReadUvarint()
			require.Equal(t, u, v)
			require.Equal(t, len(flat)-4, n)
			require.Equal(t, "tail", string(c.Bytes()))
			c.Release()
		}
	}
}

func TestCompositeVarintsThatAreNotThereConsumeNothing(t *testing.T) {
	leakCheck(t)
	for _, tt := range badVarints {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.bytes) + 1 {
				c := ropeOf(tt.bytes[:cut], tt.bytes[cut:])
				_, n := c.ReadUvarint()
				if tt.short {
					require.Zero(t, n)
				} else {
					require.Negative(t, n)
				}
				require.True(t, c.EqualBytes([]byte(tt.bytes)))
				c.Release()
			}
		})
	}
}
