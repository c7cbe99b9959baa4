package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// letters turns a word into one buffer for each of its letters. A "!" fails.
type letters struct{ made int }

func (l *letters) DecodeMessage(w *word, emit func(msg any)) error { return l.split(w, emit) }
func (l *letters) EncodeMessage(w *word, emit func(msg any)) error { return l.split(w, emit) }

func (l *letters) split(w *word, emit func(msg any)) error {
	for _, r := range w.s {
		if r == '!' {
			return errBad
		}
		if r == '?' {
			panic(errBad)
		}
		l.made++
		emit(buffer.FromString(string(r)))
	}
	return nil
}

func TestF5OutputsShareOnePromise(t *testing.T) {
	for name, c := range map[string]struct {
		word string
		room int // bytes that the peer takes at first
		want bool
	}{
		"one":                 {"a", 1, true},
		"several":             {"abc", 3, true},
		"not before the last": {"abc", 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			ch := pipelinetest.New(t, NewMessageEncoder(&letters{}))
			ch.AcceptBytes(c.room)
			p, o := ch.Watch()
			ch.Pipeline().WriteWith(&word{c.word}, p)
			ch.RunPending()
			require.Equal(t, c.want, o.Done)
			ch.Unblock()
			require.Equal(t, pipelinetest.Outcome{Done: true}, *o)
			require.Equal(t, c.word, ch.Wire())
		})
	}
}

func TestF5NoOutputIsAnErrorForEncoders(t *testing.T) {
	ch := pipelinetest.New(t, NewMessageEncoder(&letters{}))
	p, o := ch.Watch()
	ch.Pipeline().WriteWith(&word{""}, p)
	require.ErrorIs(t, o.Err, ErrNoOutput)
	require.ErrorIs(t, ch.Pipeline().Write(&word{""}), ErrNoOutput)
}

func TestF5EncoderThatFailsSendsNothing(t *testing.T) {
	ch := pipelinetest.New(t, NewMessageEncoder(&letters{}))
	p, o := ch.Watch()
	ch.Pipeline().WriteWith(&word{"ab!"}, p)
	ch.RunPending()
	require.ErrorIs(t, o.Err, errBad)
	require.Empty(t, ch.Wire())
}

func TestF5RefusalOfOneOutputFailsThePromiseAndDropsTheOthers(t *testing.T) {
	refuse := pipeline.OnWrite(func(ctx *pipeline.Context, b *buffer.Buffer, p *pipeline.Promise) error {
		if string(b.Bytes()) == "b" {
			b.Release()
			return errBad
		}
		return ctx.Forward(b, p)
	})
	ch := pipelinetest.New(t, refuse, NewMessageEncoder(&letters{}))
	p, o := ch.Watch()
	ch.Pipeline().WriteWith(&word{"abcd"}, p)
	ch.RunPending()
	require.ErrorIs(t, o.Err, errBad)
	require.Equal(t, "a", ch.Wire())
	require.ErrorIs(t, ch.Pipeline().Write(&word{"abcd"}), errBad)
	ch.RunPending()
	require.Equal(t, "a", ch.Wire())
}

func TestMessageDecoderFiresAllItEmits(t *testing.T) {
	ch := whole(t, NewDecoder(&words{}), NewMessageDecoder(&letters{}))
	ch.Feed(encoded("ab", "", "c"))
	var got []string
	for range 3 {
		b := pipelinetest.In[*buffer.Buffer](ch)
		got = append(got, string(b.Bytes()))
		b.Release()
	}
	require.Equal(t, []string{"a", "b", "c"}, got)
}

func TestMessageDecoderThatFailsFiresNothing(t *testing.T) {
	ch := whole(t, NewDecoder(&words{}), NewMessageDecoder(&letters{}))
	ch.Feed(encoded("ab!"))
	ch.ExpectError(errBad)
	require.Nil(t, ch.ReadInbound())
}

func TestMessageDecoderStopsWhenTheChannelCloses(t *testing.T) {
	seen := 0
	ch := whole(t, NewDecoder(&words{}), NewMessageDecoder(&letters{}), pipeline.OnLend(func(ctx *pipeline.Context, _ *buffer.Buffer) error {
		seen++
		ctx.CloseWith(pipeline.CloseNow, nil)
		return nil
	}))
	ch.Feed(encoded("abc"))
	require.Equal(t, 1, seen)
}

func TestMessageCodecsThatPanicLeakNothing(t *testing.T) {
	ch := whole(t, NewDecoder(&words{}), NewMessageDecoder(&letters{}))
	ch.Feed(encoded("ab?"))
	ch.ExpectError(errBad)
	ch = whole(t, NewMessageEncoder(&letters{}))
	require.NoError(t, ch.Channel().Send(&word{"ab?"}, nil))
	ch.RunPending()
	ch.ExpectError(errBad)
}

func TestMessageDecoderMayBeEnteredAgainWhileItFires(t *testing.T) {
	var got strings.Builder
	var ch *pipelinetest.Channel
	ch = whole(t, NewMessageDecoder(&letters{}), pipeline.OnLend(func(_ *pipeline.Context, b *buffer.Buffer) error {
		got.Write(b.Bytes())
		if string(b.Bytes()) == "a" {
			ch.WriteInbound(&word{"xy"})
		}
		return nil
	}))
	ch.WriteInbound(&word{"ab"}, &word{"c"})
	require.Equal(t, "axybc", got.String())
}

func TestMessageCodecsPassOthers(t *testing.T) {
	ch := whole(t, NewMessageDecoder(&letters{}), NewMessageEncoder(&letters{}))
	ch.Feed("bytes")
	b := pipelinetest.In[*buffer.Buffer](ch)
	ch.WriteOutbound(b)
	require.Equal(t, "bytes", ch.Wire())
}
