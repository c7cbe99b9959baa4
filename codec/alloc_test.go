//go:build !race && !bufdebug

package codec

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// quiet is a channel that is not watched by a test, for counting allocations.
func quiet(t testing.TB, handlers ...pipeline.Handler) *embedded.Channel {
	t.Helper()
	ch, err := embedded.New(embedded.Config{}, handlers...)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = ch.Finish() })
	return ch
}

// costs requires that run allocates at most so many times once it has run a while.
func costs(t *testing.T, most float64, run func()) {
	t.Helper()
	for range 200 {
		run()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(500, run), most)
}

func TestFramesAreCutWithoutAllocating(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, c := range map[string]struct {
		h     pipeline.Handler
		input string
	}{
		"line":         {NewDecoder(&Line{}), "short\n" + long + "\r\n"},
		"delimiter":    {NewDecoder(&Delimiter{Delimiters: delims("\r\n", "\n", "--")}), "short\n" + long + "--"},
		"fixed length": {NewDecoder(&FixedLength{Bytes: 300}), long[:600]},
		"length field": {NewDecoder(&LengthField{LengthBytes: 2, Strip: 2}), "\x00\x05short\x03\xe8" + long},
		"varint":       {NewDecoder(&Varint{}), "\x05short\xe8\x07" + long},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			ch := quiet(t, c.h, pipeline.OnLend(func(_ *pipeline.Context, b *buffer.Buffer) error {
				n++
				return nil
			}))
			input := []byte(c.input)
			costs(t, 0, func() {
				n = 0
				require.NoError(t, ch.Feed(input))
				if n != 2 {
					t.Fatalf("%d frames", n)
				}
			})
		})
	}
}

func TestFramesInPiecesAreJoinedWithoutAllocating(t *testing.T) {
	ch := quiet(t, NewDecoder(&LengthField{LengthBytes: 2, Strip: 2}), pipeline.OnLend(func(*pipeline.Context, *buffer.Buffer) error { return nil }))
	input := []byte("\x03\xe8" + strings.Repeat("x", 1000))
	costs(t, 0, func() {
		for _, p := range [][]byte{input[:1], input[1:300], input[300:]} {
			require.NoError(t, ch.Feed(p))
		}
	})
}

func TestFramesAreWrittenWithoutAllocating(t *testing.T) {
	for name, e := range map[string]Encoder[any]{
		"line":         LineEncoder{},
		"length":       LengthPrefix{},
		"varint":       VarintPrefix{},
		"plain writer": plainBytesEncoder{},
	} {
		t.Run(name, func(t *testing.T) {
			ch := quiet(t, NewEncoder(e))
			text := strings.Repeat("x", 1000)
			costs(t, 0, func() {
				for _, n := range []int{10, 1000} {
					b := ch.Loop().Pool().Get(n)
					b.AppendString(text[:n])
					if err := ch.Pipeline().Write(b); err != nil {
						t.Fatal(err)
					}
				}
				ch.RunPending()
				ch.DiscardWire()
			})
		})
	}
}

type plainBytesEncoder struct{ plainBytes }

func (plainBytesEncoder) Accepts(msg any) bool { return isPayload(msg) }

func TestEchoThroughDriversAllocatesOnlyTheMessage(t *testing.T) {
	ch := quiet(t, NewDecoder(&words{}), NewEncoder(&words{}), pipeline.OnRead(func(ctx *pipeline.Context, w *word) error { return ctx.Write(w) }))
	input := []byte(encoded("hello"))
	costs(t, 2, func() { // the test codec's message and its string
		require.NoError(t, ch.Feed(input))
		ch.DiscardWire()
	})
}

func TestTransferAllocatesOnlyItself(t *testing.T) {
	ch := quiet(t, &ChunkedWriter{})
	piece := strings.Repeat("x", 1000)
	costs(t, 24, func() { // for the transfer and its list of pieces, not for each of the 100
		left := 100
		c := NewChunks(func(ctx *pipeline.Context) (any, error) {
			if left == 0 {
				return nil, io.EOF
			}
			left--
			b := ctx.Alloc(len(piece))
			b.AppendString(piece)
			return b, nil
		}, nil)
		_ = ch.Pipeline().Write(c)
		ch.RunPending()
		if ch.DiscardWire() != 100*len(piece) {
			t.Fatal("transfer not complete")
		}
	})
}
