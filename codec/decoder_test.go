package codec

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// The tests named after D1 to D8 are the rules of byte decoders; those named after Core… are cases of the conformance
// list.

func TestCore33FramesAreTheSameForEverySplit(t *testing.T) {
	input := "\x00\x01a\x00\x00\x00\x03bcd\x00\x02ef\x00\x01g"
	sameForEveryCut(t, func() Decoder[*buffer.Buffer] { return &LengthField{LengthBytes: 2, Strip: 2} }, input,
		`"a"`, `""`, `"bcd"`, `"ef"`, `"g"`)
	everyCut(input, func(how string, pieces ...string) {
		ch := whole(t, NewDecoder(&LengthField{LengthBytes: 2, Strip: 2}), NewMessageDecoder(TextDecoder{}))
		for _, p := range pieces {
			ch.Feed(p)
		}
		for _, want := range []string{"a", "", "bcd", "ef", "g"} {
			require.Equal(t, want, pipelinetest.In[*Text](ch).S, how)
		}
	})
}

func TestD1TakesOverTheBufferWhenNothingIsHeld(t *testing.T) {
	h := NewDecoder(&words{})
	ch := whole(t, h, collect(new([]string)))
	b := ch.Loop().Pool().Get(64)
	b.AppendString(strings.Repeat("\x3f", 40))
	ch.WriteInbound(b)
	require.Same(t, b, h.held, "no copy of more than half of its buffer")
	require.Zero(t, h.copied)
}

func TestD1LeavesTheReadPositionOfASharedBufferAlone(t *testing.T) {
	var got []string
	ch := whole(t, NewDecoder(&words{}), collect(&got))
	b := ch.Loop().Pool().Get(64)
	b.AppendString(encoded("one", "two") + "\x05th")
	b.Retain()
	ch.WriteInbound(b)
	require.Equal(t, encoded("one", "two")+"\x05th", string(b.Bytes()))
	b.Release()
	ch.Feed("ree")
	require.Equal(t, []string{"one", "two", "three"}, got)
}

func TestD1JoinsWhatComesInPieces(t *testing.T) {
	var got []string
	ch := pipelinetest.New(t, NewDecoder(&words{}), collect(&got))
	ch.Feed(encoded("a", "", "longer") + encoded(strings.Repeat("x", 200)))
	require.Equal(t, []string{"a", "", "longer", strings.Repeat("x", 200)}, got)
}

func TestD1ReadsARopeWithoutCopyingWholeParts(t *testing.T) {
	var got []string
	h := NewDecoder(&words{})
	ch := whole(t, h, collect(&got))
	c := buffer.NewComposite()
	for _, p := range []string{encoded("one"), encoded("two")} {
		b := ch.Loop().Pool().Get(16)
		b.AppendString(p)
		c.Append(b)
	}
	c.AppendSlice(buffer.FromString("ignored"+encoded("three")).Slice(7, 6))
	shared := c.View()
	ch.WriteInbound(c)
	require.Equal(t, []string{"one", "two", "three"}, got)
	require.Zero(t, h.copied)
	require.Equal(t, encoded("one", "two", "three"), string(shared.Bytes()))
	shared.Release()
}

func TestCore34D2MessageWithoutConsumingIsAnErrorOnce(t *testing.T) {
	calls := 0
	ch := whole(t, NewDecoder(decoderFunc(func(*buffer.Buffer) (*word, bool, error) {
		calls++
		return &word{"again"}, true, nil
	})), collect(new([]string)))
	ch.Feed("x")
	ch.ExpectError(ErrStuck)
	require.Equal(t, 1, calls)
	require.NoError(t, ch.CheckErr())
}

func TestCore35D2ConsumingWithoutMessageGoesOnAtOnce(t *testing.T) {
	header := false
	rec := &pipelinetest.Recorder{Log: new(pipelinetest.Log)}
	ch := whole(t, NewDecoder(decoderFunc(func(in *buffer.Buffer) (*word, bool, error) {
		if !header {
			header = true
			in.Skip(1)
			return nil, false, nil
		}
		if in.Len() < 4 {
			return nil, false, nil
		}
		return &word{string(in.Next(4))}, true, nil
	})), rec)
	rec.Log.Take()
	ch.Feed("hbody")
	require.Equal(t, "body", pipelinetest.In[*word](ch).s)
	require.Equal(t, []string{"read", "read complete"}, rec.Log.Take()[:2])
}

func TestD2MessagesAreFiredBeforeTheNextCall(t *testing.T) {
	d := &words{}
	ch := whole(t, NewDecoder(d), onWord(func(_ *pipeline.Context, s string) error {
		require.Equal(t, s, string(rune('0'+d.calls)))
		return nil
	}))
	ch.Feed(encoded("1", "2", "3"))
}

func TestCore37D3ReentrantReadIsQueued(t *testing.T) {
	var got []string
	var ch *pipelinetest.Channel
	ch = whole(t, NewDecoder(&words{}), onWord(func(_ *pipeline.Context, s string) error {
		got = append(got, "begin "+s)
		if s == "m1" {
			ch.WriteInbound(buffer.FromString(encoded("m3")), buffer.FromString("\x02m"))
			ch.WriteInbound(buffer.FromString("4"))
		}
		got = append(got, "end "+s)
		return nil
	}))
	ch.Feed(encoded("m1", "m2"))
	require.Equal(t, []string{
		"begin m1", "end m1", "begin m2", "end m2", "begin m3", "end m3", "begin m4", "end m4",
	}, got)
}

func TestD3RemovalDuringDecodeSendsMessagesThenTheRest(t *testing.T) {
	h := NewDecoder(&words{})
	var log pipelinetest.Log
	rec := &pipelinetest.Recorder{Log: &log}
	ch := whole(t, h, onWord(func(ctx *pipeline.Context, s string) error {
		if s == "go" {
			ctx.Pipeline().ContextOf(h).Remove()
			require.NotNil(t, h.held, "the rest leaves when the receiver has returned")
		}
		ctx.FireRead(&word{s})
		return nil
	}), rec)
	log.Take()
	ch.Feed(encoded("one", "go") + "rest")
	require.Equal(t, "one", pipelinetest.In[*word](ch).s)
	require.Equal(t, "go", pipelinetest.In[*word](ch).s)
	rest := pipelinetest.In[*buffer.Buffer](ch)
	require.Equal(t, "rest", string(rest.Bytes()))
	rest.Release()
	require.Equal(t, []string{"read", "read", "read", "read complete"}, log.Events())
}

func TestD3RemovalBetweenReadsCompletesOnlyWhatItFired(t *testing.T) {
	for name, c := range map[string]struct {
		held string
		want []string
	}{
		"nothing held": {"", nil},
		"bytes held":   {"\x09par", []string{"read", "read complete"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &words{}
			h := NewDecoder(d)
			rec := &pipelinetest.Recorder{Log: new(pipelinetest.Log)}
			ch := whole(t, h, rec)
			ch.Feed(encoded("x") + c.held)
			pipelinetest.In[*word](ch)
			rec.Log.Take()
			ch.Pipeline().ContextOf(h).Remove()
			ch.RunPending()
			require.Equal(t, c.want, rec.Log.Take())
			require.Equal(t, 1, d.reset, "the codec gives back what it holds")
			for range c.want[min(1, len(c.want)):] {
				pipelinetest.In[*buffer.Buffer](ch).Release()
			}
		})
	}
}

func TestCore36D4LeftoversGoToTheReplacement(t *testing.T) {
	everyCut("UPGRADE\nABCDEFGH", func(how string, pieces ...string) {
		var got []string
		line := NewDecoder(&Line{})
		ch := whole(t, line, pipeline.OnLend(func(ctx *pipeline.Context, b *buffer.Buffer) error {
			got = append(got, string(b.Bytes()))
			if string(b.Bytes()) == "UPGRADE" {
				return ctx.Pipeline().ContextOf(line).Replace(NewDecoder(&FixedLength{Bytes: 4}))
			}
			return nil
		}))
		for _, p := range pieces {
			ch.Feed(p)
		}
		require.Equal(t, []string{"UPGRADE", "ABCD", "EFGH"}, got, how)
	})
}

func TestD4QueuedReadsFollowTheLeftovers(t *testing.T) {
	var got []string
	line := NewDecoder(&Line{})
	var ch *pipelinetest.Channel
	ch = whole(t, line, pipeline.OnLend(func(ctx *pipeline.Context, b *buffer.Buffer) error {
		got = append(got, string(b.Bytes()))
		if string(b.Bytes()) != "UPGRADE" {
			return nil
		}
		ch.WriteInbound(buffer.FromString("CD"), buffer.FromString("EF"))
		return ctx.Pipeline().ContextOf(line).Replace(NewDecoder(&FixedLength{Bytes: 3}))
	}))
	ch.Feed("UPGRADE\nAB")
	require.Equal(t, []string{"UPGRADE", "ABC", "DEF"}, got)
}

func TestD6StopsWhenAHandlerClosedTheChannel(t *testing.T) {
	for _, how := range []pipeline.CloseMode{pipeline.CloseDrain, pipeline.CloseNow, pipeline.CloseReset} {
		t.Run(how.String(), func(t *testing.T) {
			var got []string
			ch := whole(t, NewDecoder(&words{}), onWord(func(ctx *pipeline.Context, s string) error {
				got = append(got, s)
				if s == "bye" {
					ctx.CloseWith(how, nil)
				}
				return nil
			}))
			ch.Feed(encoded("hi", "bye", "more") + "\x09par")
			require.Equal(t, []string{"hi", "bye"}, got)
		})
	}
}

func TestD8BytesStayWhenTheDecoderFailsWithoutConsuming(t *testing.T) {
	failures := 0
	h := NewDecoder(decoderFunc(func(in *buffer.Buffer) (*word, bool, error) {
		if failures < 2 {
			failures++
			return nil, false, errBad
		}
		return &word{string(in.Next(in.Len()))}, true, nil
	}))
	ch := whole(t, h, &swallow{})
	ch.Feed("ab")
	require.Equal(t, 1, failures, "not called again for the same bytes")
	ch.Feed("cd")
	ch.Feed("ef")
	require.Equal(t, "abcdef", pipelinetest.In[*word](ch).s)
}

func TestD8GoesOnBehindWhatTheDecoderConsumedAndRefused(t *testing.T) {
	var got []string
	errs := &swallow{}
	ch := whole(t, NewDecoder(&words{}), collect(&got), errs)
	ch.Feed(encoded("a", "!", "b"))
	require.Equal(t, []string{"a", "b"}, got)
	require.Equal(t, []error{errBad}, errs.errs)
}

func TestDecoderPassesMessagesThatAreNotBytes(t *testing.T) {
	ch := whole(t, NewDecoder(&words{}))
	ch.WriteInbound(&word{"as it is"})
	require.Equal(t, "as it is", pipelinetest.In[*word](ch).s)
}

func TestDecoderThatPanicsClosesItsChannelAndLeaksNothing(t *testing.T) {
	bad := true
	h := NewDecoder(decoderFunc(func(in *buffer.Buffer) (*word, bool, error) {
		if bad {
			in.Skip(1)
			panic("at input")
		}
		return &word{string(in.Next(in.Len()))}, true, nil
	}))
	ch := whole(t, h)
	ch.Feed("ab")
	var p *pipeline.PanicError
	require.ErrorAs(t, ch.ExpectError(nil), &p)
	require.True(t, ch.Closed())
	bad = false
	ch = whole(t, h)
	ch.Feed("ab")
	require.Equal(t, "ab", pipelinetest.In[*word](ch).s, "it works in another channel")
}

func TestDecoderWithWrongSettingsIsNotAdded(t *testing.T) {
	for name, h := range map[string]pipeline.Handler{
		"fixed length":   NewDecoder(&FixedLength{}),
		"length field":   NewDecoder(&LengthField{LengthBytes: 5}),
		"length prefix":  NewEncoder(LengthPrefix{Offset: -1}),
		"delimiter":      NewDecoder(&Delimiter{}),
		"delimiters out": NewEncoder(DelimiterEncoder{Delimiters: [][]byte{{}}}),
	} {
		t.Run(name, func(t *testing.T) {
			ch := whole(t, h)
			require.ErrorIs(t, ch.ExpectError(nil), ErrConfig)
		})
	}
}

func TestDecoderNamesItsTypes(t *testing.T) {
	h := NewDecoder(&words{})
	require.Equal(t, "codec.words", h.String())
	ch := whole(t, h, collect(new([]string)))
	require.Contains(t, ch.Pipeline().String(), "bytes → codec.words → *codec.word → ")
	require.NoError(t, ch.Pipeline().Check())
}

func TestTruncatedMessageIsReportedAtThePeersEnd(t *testing.T) {
	ch := whole(t, NewDecoder(&words{}))
	ch.Feed("\x09par")
	ch.PeerClose()
	ch.ExpectError(io.ErrUnexpectedEOF)
}

// decoderFunc is a decoder in one function.
type decoderFunc func(in *buffer.Buffer) (*word, bool, error)

func (f decoderFunc) Decode(in *buffer.Buffer) (*word, bool, error) { return f(in) }

// swallow is an error handler that keeps the channel open.
type swallow struct{ errs []error }

func (s *swallow) HandleError(_ *pipeline.Context, err error) error {
	s.errs = append(s.errs, err)
	return nil
}
