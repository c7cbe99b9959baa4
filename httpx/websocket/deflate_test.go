package websocket

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
)

func TestDeflateZeroValueIsSafe(t *testing.T) {
	var d Deflate
	for _, client := range []bool{false, true} {
		require.False(t, d.takeover(client))
		require.Equal(t, 15, d.windowBits(client))
	}
	require.Equal(t, 256, d.minBytes())
	require.Equal(t, 1, d.level())
	require.Equal(t, 9, (&Deflate{Level: 99}).level())
	require.NoError(t, d.check())
	require.NoError(t, (*Deflate)(nil).check())
	require.NoError(t, (&Deflate{ServerWindowBits: 8, ClientWindowBits: 15}).check())
	require.ErrorIs(t, (&Deflate{ServerWindowBits: 7}).check(), codec.ErrConfig)
	require.ErrorIs(t, (&Deflate{ClientWindowBits: 16}).check(), codec.ErrConfig)
}

func TestEachDirectionHasItsOwnSettings(t *testing.T) {
	d := Deflate{ServerTakeover: true, ClientWindowBits: 9}
	require.True(t, d.takeover(false))
	require.False(t, d.takeover(true))
	require.Equal(t, 9, d.windowBits(true))
	require.Equal(t, 15, d.windowBits(false))
}

// rsv1 tells of each frame of a wire whether it is compressed, and what is decoded from it.
func rsv1(t *testing.T, d *Decoder, wires ...[]byte) (compressed []bool) {
	t.Helper()
	for _, wire := range wires {
		_, err := decodeAll(t, d, wire)
		require.NoError(t, err)
		compressed = append(compressed, wire[0]&bitRSV1 != 0)
	}
	return compressed
}

func TestShortMessagesAndThoseThatGainNothingAreSentAsTheyAre(t *testing.T) {
	leakCheck(t)
	long, short := strings.Repeat("abc ", 100), strings.Repeat("a", 255)
	var noise strings.Builder
	for i := range 300 {
		noise.WriteByte(byte(i*i>>3 ^ i*7))
	}
	for _, deflate := range []*Deflate{{}, {ServerTakeover: true}} {
		e, d := &Encoder{Deflate: deflate}, &Decoder{Client: true, Deflate: deflate}
		got := rsv1(t, d,
			wireOf(t, e, NewText(long)), wireOf(t, e, NewText(short)), wireOf(t, e, NewText(short+"a")), wireOf(t, e, NewText(long)),
			wireOf(t, e, NewBinary([]byte(noise.String()))), wireOf(t, e, NewText(long)), wireOf(t, e, NewText(long)))
		require.Equal(t, []bool{true, false, true, true, false, true, true}, got)
		e.Reset()
	}
}

func TestCompressedMessagesAreFragmentedWithTheBitOnTheFirst(t *testing.T) {
	leakCheck(t)
	e := &Encoder{Deflate: &Deflate{MinBytes: 1}, MaxFrame: 3}
	wire := wireOf(t, e, NewText(strings.Repeat("Hello", 10)))
	require.Equal(t, byte(0x41), wire[0])
	require.Equal(t, byte(0x00), wire[5])
	got, err := decodeAll(t, &Decoder{Client: true, Deflate: e.Deflate}, wire)
	require.NoError(t, err)
	require.Equal(t, []string{show(textOf(strings.Repeat("Hello", 10)))}, got)
}

func TestTakeoverMakesRepeatedMessagesSmaller(t *testing.T) {
	leakCheck(t)
	text := "a message that is sent again and again, and again"
	alone := &Encoder{Deflate: &Deflate{MinBytes: 1}}
	together := &Encoder{Deflate: takeover()}
	first, second := wireOf(t, together, NewText(text)), wireOf(t, together, NewText(text))
	require.Less(t, len(second), len(first)/2)
	once, again := wireOf(t, alone, NewText(text)), wireOf(t, alone, NewText(text))
	require.Equal(t, once, again)
	require.NotNil(t, together.packer)
	require.Nil(t, alone.packer, "an idle connection holds nothing")
	together.Forget()
	require.Nil(t, together.packer)
	third := wireOf(t, together, NewText(text))
	require.Equal(t, first, third)
	d := &Decoder{Client: true, Deflate: takeover()}
	require.Equal(t, []bool{true, true, true}, rsv1(t, d, first, second, third))
	together.Reset()
}
