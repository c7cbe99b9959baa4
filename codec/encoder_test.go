package codec

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// counted is a message that notices its releases.
type counted struct {
	n        int // bytes that it becomes
	fail     bool
	released int
}

func (c *counted) Retain()  { c.released-- }
func (c *counted) Release() { c.released++ }

// counts encodes *counted.
type counts struct{}

func (counts) Size(c *counted) int { return c.n }

func (counts) Encode(out *buffer.Writer, c *counted) error {
	for range c.n {
		out.AppendByte('x')
	}
	if c.fail {
		return errBad
	}
	return nil
}

// sent notes every outbound message that comes out of an encoder.
type sent struct {
	msgs []string
	with []bool // a promise
}

func (s *sent) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if b, ok := msg.(*buffer.Buffer); ok {
		s.msgs = append(s.msgs, string(b.Bytes()))
	} else {
		s.msgs = append(s.msgs, "other")
	}
	s.with = append(s.with, p != nil)
	return ctx.Forward(msg, p)
}

func TestCore28F4EncoderMakesOneMessageOfEach(t *testing.T) {
	out := &sent{}
	ch := pipelinetest.New(t, out, NewEncoder(counts{}))
	empty, ten := &counted{}, &counted{n: 10}
	p, first := ch.Watch()
	ch.Pipeline().WriteWith(empty, p)
	q, second := ch.Watch()
	ch.Pipeline().WriteWith(ten, q)
	other := &word{"passes"}
	require.NoError(t, ch.Pipeline().Write(other))
	ch.RunPending()
	require.Equal(t, pipelinetest.Outcome{Done: true}, *first, "an empty message completes its promise")
	require.Equal(t, pipelinetest.Outcome{Done: true}, *second)
	require.Equal(t, []string{"", strings.Repeat("x", 10), "other"}, out.msgs)
	require.Equal(t, []bool{true, true, false}, out.with)
	require.Equal(t, strings.Repeat("x", 10), ch.Wire())
	require.Same(t, other, pipelinetest.Out[*word](ch))
	require.Equal(t, []int{1, 1}, []int{empty.released, ten.released})
}

func TestCore29F4EncoderThatFailsSendsNothingOfThatMessage(t *testing.T) {
	ch := pipelinetest.New(t, NewEncoder(counts{}))
	bad := &counted{n: 300, fail: true}
	outcomes := make([]*pipelinetest.Outcome, 3)
	for i, m := range []*counted{{n: 1}, bad, {n: 2}} {
		var p *pipeline.Promise
		p, outcomes[i] = ch.Watch()
		ch.Pipeline().WriteWith(m, p)
	}
	ch.RunPending()
	require.NoError(t, outcomes[0].Err)
	require.NoError(t, outcomes[2].Err)
	var e *EncodeError
	require.ErrorAs(t, outcomes[1].Err, &e)
	require.ErrorIs(t, e, errBad)
	require.Equal(t, "codec: codec.counts: bad word", e.Error())
	require.Equal(t, "xxx", ch.Wire())
	require.Equal(t, 1, bad.released)
}

func TestEncoderErrorIsReturnedToAWriterWithoutPromise(t *testing.T) {
	ch := pipelinetest.New(t, NewEncoder(counts{}))
	require.ErrorIs(t, ch.Pipeline().Write(&counted{fail: true}), errBad)
}

func TestEncoderOfAnInterfaceTypeMustSayWhatItAccepts(t *testing.T) {
	require.PanicsWithValue(t, "codec: codec.greedy takes an interface type and has no Accepts method", func() {
		NewEncoder(greedy{})
	})
	require.Panics(t, func() { NewMessageEncoder[any](greedy{}) })
	require.Panics(t, func() { NewMessageDecoder[any](greedy{}) })
}

type greedy struct{}

func (greedy) Size(any) int                           { return 0 }
func (greedy) Encode(*buffer.Writer, any) error       { return nil }
func (greedy) EncodeMessage(any, func(msg any)) error { return nil }
func (greedy) DecodeMessage(any, func(msg any)) error { return nil }

func TestEncoderThatPanicsLeaksNothing(t *testing.T) {
	ch := pipelinetest.New(t, NewEncoder(panics{}))
	require.NoError(t, ch.Channel().Send(&word{"x"}, nil))
	ch.RunPending()
	var p *pipeline.PanicError
	require.ErrorAs(t, ch.ExpectError(nil), &p)
}

type panics struct{}

func (panics) Size(*word) int { return 1 }

func (panics) Encode(out *buffer.Writer, _ *word) error {
	out.AppendByte(1)
	panic(errors.New("while encoding"))
}

func TestEncoderAllowsToWriteMoreWhileItForwards(t *testing.T) {
	ch := pipelinetest.New(t, &echoOnce{}, NewEncoder(&words{}))
	require.NoError(t, ch.Pipeline().Write(&word{"a"}))
	ch.RunPending()
	require.Equal(t, encoded("nested", "a"), ch.Wire())
}

// echoOnce writes another message in the middle of the first.
type echoOnce struct{ done bool }

func (e *echoOnce) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if !e.done {
		e.done = true
		if err := ctx.Pipeline().Write(&word{"nested"}); err != nil {
			return err
		}
	}
	return ctx.Forward(msg, p)
}
