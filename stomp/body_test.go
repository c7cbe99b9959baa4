package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestBodyReadsAsOneRunWhateverItsParts(t *testing.T) {
	live := buffer.SharedStats().Live
	big := strings.Repeat("0123456789", 40)
	var b Body
	require.Zero(t, b.Parts())
	require.Empty(t, b.Bytes())
	b.AppendString(big)
	require.Same(t, &b.Part(0)[0], &b.Bytes()[0], "one part is not copied")
	b.AppendBytes([]byte("abc"))
	b.AppendBytes(nil)
	b.AppendString("")
	b.Append(buffer.Slice{})
	b.AppendBuffer(buffer.Get(10))
	b.AppendBuffer(buffer.FromString(big))
	require.Equal(t, 3, b.Parts())
	require.Equal(t, 803, b.Len())
	want := big + "abc" + big
	require.Equal(t, want, b.String())
	require.Equal(t, want, string(b.Bytes()))
	require.Equal(t, "!"+want, string(b.AppendTo([]byte("!"))))
	b.Reset()
	require.Zero(t, b.Len())
	require.Zero(t, b.Parts())
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestBodyCompositeHasReferencesOfItsOwn(t *testing.T) {
	live := buffer.SharedStats().Live
	f := NewFrame(CommandSend)
	f.Body.AppendString(strings.Repeat("x", 300))
	f.Body.AppendString(strings.Repeat("y", 300))
	c := f.Body.Composite()
	f.Release()
	require.Equal(t, strings.Repeat("x", 300)+strings.Repeat("y", 300), string(c.Bytes()))
	c.Release()
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestBodyFindsNulInAnyPart(t *testing.T) {
	var b Body
	defer b.Reset()
	require.False(t, b.hasNul())
	b.AppendString("abc")
	require.False(t, b.hasNul())
	b.AppendString("d\x00e")
	require.True(t, b.hasNul())
}

func TestBodyDropsALongPartList(t *testing.T) {
	var b Body
	for range maxKept * 3 {
		b.AppendString("x")
	}
	b.Reset()
	require.Nil(t, b.more)
	b.AppendString("x")
	b.AppendString("x")
	b.Reset()
	require.NotNil(t, b.more)
}

func TestBodyAppendBodySharesTheOctets(t *testing.T) {
	live := buffer.SharedStats().Live
	var a, b Body
	a.AppendString(strings.Repeat("x", 300))
	a.AppendString("y")
	b.AppendString("b")
	b.AppendBody(&a)
	require.Same(t, &a.Part(0)[0], &b.Part(1)[0])
	a.Reset()
	require.Equal(t, "b"+strings.Repeat("x", 300)+"y", b.String())
	b.Reset()
	require.Equal(t, live, buffer.SharedStats().Live)
}

// decodedBody returns a frame whose body of n octets lies with its head when it is short, in a buffer when it is not.
func decodedBody(t *testing.T, n int) (*Frame, string) {
	t.Helper()
	want := strings.Repeat("b", n)
	f := decodeFrame(t, "SEND\na:b\n\n"+want+"\x00", false)
	require.Equal(t, n < copyBelow, f.Body.small != nil)
	return f, want
}

func TestBodyOfADecodedFrameCanBeKeptAndExtended(t *testing.T) {
	live := buffer.SharedStats().Live
	for _, n := range []int{1, 200, copyBelow - 1, copyBelow, 5000} {
		f, want := decodedBody(t, n)
		kept, rope := f.Body.Slice(0), f.Body.Composite()
		var other Body
		other.AppendString("<")
		other.AppendBody(&f.Body)
		f.Body.AppendString(">")
		require.Equal(t, want+">", f.Body.String())
		require.Equal(t, 2, f.Body.Parts())
		require.Equal(t, n+1, f.Body.Len())
		last := f.Body.Slice(1)
		f.Release()
		reuseFrames()
		require.Equal(t, want, string(kept.Bytes()))
		require.Equal(t, want, string(rope.Bytes()))
		require.Equal(t, "<"+want, other.String())
		require.Equal(t, ">", string(last.Bytes()))
		kept.Release()
		last.Release()
		rope.Release()
		other.Reset()
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}
