package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// never is a decoder that waits for ever.
func never(*buffer.Buffer) (*word, bool, error) { return nil, false, nil }

func TestD7HeldBytesAreLimitedTo1MiBByDefault(t *testing.T) {
	h := NewDecoder(decoderFunc(never))
	ch := whole(t, h)
	ch.Feed(strings.Repeat("x", 1<<20))
	require.NoError(t, ch.CheckErr())
	ch.Feed("x")
	var e *HeldError
	require.ErrorAs(t, ch.ExpectError(ErrHeldTooMuch), &e)
	require.Equal(t, HeldError{Decoder: "codec.decoderFunc", Held: 1<<20 + 1, Limit: 1 << 20}, *e)
}

func TestD7LimitCanBeSetAndFollowsTheDecoder(t *testing.T) {
	for name, c := range map[string]struct {
		set   int
		frame int
		want  int
	}{
		"default":                      {want: 1 << 20},
		"set":                          {set: 100, want: 100},
		"a decoder that asks for less": {frame: 10, want: 1 << 20},
		"a decoder that asks for more": {frame: 2 << 20, want: 2 << 20},
		"set below what it asks for":   {set: 100, frame: 2 << 20, want: 100},
	} {
		t.Run(name, func(t *testing.T) {
			h := NewDecoder[*buffer.Buffer](&FixedLength{Bytes: c.frame})
			if c.frame == 0 {
				h = NewDecoder[*buffer.Buffer](unbounded{})
			}
			h.MaxHeld = c.set
			require.Equal(t, c.want, h.limit())
		})
	}
}

type unbounded struct{}

func (unbounded) Decode(*buffer.Buffer) (*buffer.Buffer, bool, error) { return nil, false, nil }

func TestD7ChannelGoesOnWhenTheErrorIsHandled(t *testing.T) {
	h := NewDecoder(&words{})
	h.MaxHeld = 10
	errs := &swallow{}
	ch := whole(t, h, errs)
	ch.Feed("\x20" + strings.Repeat("x", 20))
	require.Len(t, errs.errs, 1)
	require.Nil(t, h.held)
	ch.Feed(encoded("ok"))
	require.Equal(t, "ok", pipelinetest.In[*word](ch).s)
}

func TestD7EmptyAndLargelyConsumedMemoryIsGivenUp(t *testing.T) {
	h := NewDecoder(&words{})
	ch := whole(t, h, collect(new([]string)))
	ch.Feed(strings.Repeat(encoded("abcdefg"), 100))
	require.Nil(t, h.held, "nothing is left, so nothing is held")
	ch.Feed(strings.Repeat(encoded("abcdefg"), 100) + "\x09par")
	require.Equal(t, "\x09par", string(h.held.Bytes()))
	require.LessOrEqual(t, h.held.Cap(), 64, "a few bytes do not pin a read buffer")
	ch.Feed("tial-x" + strings.Repeat(encoded("abcdefg"), 1000) + "\x09par")
	require.LessOrEqual(t, h.held.Cap(), 64, "nor one that the driver made")
}

func TestWorkIsLinearHoweverAMessageArrives(t *testing.T) {
	const n = 16 << 10
	for _, piece := range []int{3, 100, 4096} {
		h := NewDecoder(&FixedLength{Bytes: n})
		ch := whole(t, h)
		text := strings.Repeat("x", piece)
		for fed := 0; fed+piece <= n-1; fed += piece {
			ch.Feed(text)
		}
		require.LessOrEqual(t, h.copied, uint64(4*n), "pieces of %d bytes", piece)
	}
}

func TestD1PartsOfARopeThatAreNoWholeBuffersAreCopied(t *testing.T) {
	var got []string
	ch := whole(t, NewDecoder(&words{}), collect(&got))
	long := strings.Repeat("x", 200)
	from := buffer.FromString("in front" + encoded(long, long) + "behind")
	rope := buffer.NewComposite()
	rope.AppendSlice(from.Slice(8, 402))
	ch.WriteInbound(rope)
	require.Equal(t, []string{long, long}, got)
	require.True(t, from.Unique())
	require.Equal(t, "in front", string(from.Bytes()[:8]), "whoever holds the buffer sees all of it")
	from.Release()
}
