package stomp

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// held returns the octets of memory that b keeps alive.
func held(b *Body) int {
	seen := map[*byte]bool{}
	n := 0
	for i := range b.Parts() {
		view := b.slice(i).Buffer()
		if p := view.Bytes(); !seen[&p[0]] {
			seen[&p[0]] = true
			n += cap(p)
		}
		view.Release()
	}
	return n
}

func TestAssemblerGathersTrickledOctets(t *testing.T) {
	live := buffer.SharedStats().Live
	var a assembler
	in := buffer.Get(100_000)
	var want strings.Builder
	for i := range 100_000 {
		in.AppendByte(byte(i))
		want.WriteByte(byte(i))
	}
	for in.Len() > 0 {
		a.read(in, 1)
	}
	in.Release()
	require.LessOrEqual(t, buffer.SharedStats().Live-live, 12, "one buffer per octet or so")
	require.Equal(t, 100_000, a.len())
	var b Body
	a.moveTo(&b)
	require.Equal(t, want.String(), b.String())
	b.Reset()
	require.Zero(t, a.len())
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestAssemblerKeepsAReadBufferOnlyWhenItFillsHalfOfIt(t *testing.T) {
	var a assembler
	defer a.reset()
	in := buffer.Get(64 << 10)
	in.Append(make([]byte, 32<<10))
	a.read(in, 300)
	require.NotNil(t, a.tail, "300 octets kept 64 KiB alive")
	in.Append(make([]byte, 32<<10))
	first := &in.Bytes()[0]
	a.read(in, in.Len())
	in.Release()
	a.seal()
	require.Equal(t, 2, a.body.Parts())
	require.Same(t, first, &a.body.Part(1)[0], "half a buffer was copied")
}

func TestAssemblerKeepsOrderForAnyPieces(t *testing.T) {
	live := buffer.SharedStats().Live
	rng := rand.New(rand.NewSource(7))
	for range 200 {
		var a assembler
		var want strings.Builder
		for range 1 + rng.Intn(30) {
			piece := strings.Repeat(string(rune('a'+rng.Intn(26))), 1+rng.Intn(1<<rng.Intn(13)))
			want.WriteString(piece)
			in := buffer.FromString(piece)
			if rng.Intn(2) == 0 {
				a.read(in, in.Len())
			} else {
				a.add(in.ReadSlice(in.Len()))
			}
			in.Release()
			require.Equal(t, want.Len(), a.len())
		}
		var b Body
		a.moveTo(&b)
		require.Equal(t, want.String(), b.String())
		b.Reset()
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestAssemblerPieceIsRightSized(t *testing.T) {
	in := buffer.Get(64 << 10)
	in.Append(make([]byte, 50<<10))
	for _, n := range []int{1, 256, 257, 4096} {
		s := new(assembler).piece(in, n)
		require.Equal(t, n, s.Len())
		view := s.Buffer()
		require.LessOrEqual(t, view.Cap(), max(2*n, 512))
		view.Release()
		s.Release()
	}
	require.True(t, in.Unique())
	s := new(assembler).piece(in, 40<<10)
	require.False(t, in.Unique(), "most of a buffer was copied")
	s.Release()
	in.Release()
}

func TestAWholeBodyKeepsAReadBufferOnlyWhenItIsAFairPartOfIt(t *testing.T) {
	for n, keeps := range map[int]bool{100: false, 1100: false, 4000: false, 4096: true, 60_000: true} {
		in := buffer.Get(64 << 10)
		in.AppendString("SEND\n\n" + strings.Repeat("b", n) + "\x00")
		m, ok, err := new(Decoder).Decode(in)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, keeps, !in.Unique(), "%d octets", n)
		require.Equal(t, strings.Repeat("b", n), m.(*Frame).Body.String())
		in.Release()
		m.(*Frame).Release()
		in = buffer.Get(64 << 10)
		in.AppendString("SEND\n\n" + strings.Repeat("b", n) + "\x00")
		d := &Decoder{Stream: true}
		h, _, _ := d.Decode(in)
		c, _, _ := d.Decode(in)
		require.Equal(t, keeps, !in.Unique(), "%d octets, streamed", n)
		require.Equal(t, n, c.(*ContentSubframe).Data.Len())
		in.Release()
		buffer.Release(h)
		buffer.Release(c)
	}
}
