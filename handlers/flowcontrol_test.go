package handlers_test

import (
	"testing"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/stretchr/testify/require"
)

// letters is a decoder of one-byte messages.
type letters struct{}

func (letters) Decode(in *buffer.Buffer) (*string, bool, error) {
	if in.Len() == 0 {
		return nil, false, nil
	}
	s := string(in.Next(1))
	return &s, true, nil
}

// collect keeps the letters that it reads.
type collect struct {
	got string
	do  func(ctx *pipeline.Context)
}

func (c *collect) HandleRead(ctx *pipeline.Context, msg any) error {
	s, ok := msg.(*string)
	if !ok {
		ctx.FireRead(msg)
		return nil
	}
	c.got += *s
	if c.do != nil {
		c.do(ctx)
	}
	return nil
}

// manual turns auto-read off.
type manual struct{}

func (manual) HandleAdded(ctx *pipeline.Context) error {
	ctx.SetAutoRead(false)
	return nil
}

func flowControlled(t *testing.T, c *collect, more ...pipeline.Handler) (*pipelinetest.Channel, func()) {
	t.Helper()
	chain := []pipeline.Handler{manual{}, codec.NewDecoder(letters{}), &handlers.FlowControl{}, c}
	ch := pipelinetest.New(t, append(chain, more...)...)
	return ch, func() {
		require.NoError(t, ch.Channel().Post(func() { ch.Pipeline().Read() }))
		ch.RunPending()
	}
}

func TestCore54FlowControlDeliversOneMessageForEachRequest(t *testing.T) {
	c, done := &collect{}, &completes{}
	ch, read := flowControlled(t, c, done)
	ch.FeedWhole("abc")
	require.Empty(t, c.got)
	for _, want := range []struct {
		got       string
		completes int
	}{{"a", 0}, {"ab", 0}, {"abc", 1}} {
		read()
		require.Equal(t, want.got, c.got)
		require.Equal(t, want.completes, done.n)
	}
}

func TestFlowControlServesAnEarlierRequestWhenAMessageComes(t *testing.T) {
	c := &collect{}
	ch, read := flowControlled(t, c)
	read()
	ch.FeedWhole("ab")
	require.Equal(t, "a", c.got)
	read()
	require.Equal(t, "ab", c.got)
}

func TestFlowControlAnswersRequestsFromInsideARead(t *testing.T) {
	c := &collect{do: func(ctx *pipeline.Context) { ctx.Read() }}
	ch, read := flowControlled(t, c)
	ch.FeedWhole("abcdef")
	read()
	require.Equal(t, "abcdef", c.got)
}

func TestFlowControlPassesEverythingWithAutoRead(t *testing.T) {
	c := &collect{}
	ch, read := flowControlled(t, c)
	ch.FeedWhole("abcd")
	read()
	require.Equal(t, "a", c.got)
	require.NoError(t, ch.Channel().Post(func() { ch.Pipeline().ContextOf(c).SetAutoRead(true) }))
	ch.RunPending()
	require.Equal(t, "abcd", c.got)
	ch.Feed("ef")
	require.Equal(t, "abcdef", c.got)
}

// held is a message that counts its references.
type held struct{ refs int }

func (h *held) Retain()  { h.refs++ }
func (h *held) Release() { h.refs-- }

func TestFlowControlReleasesWhatWaitsWhenTheChannelCloses(t *testing.T) {
	ch := pipelinetest.New(t, manual{}, &handlers.FlowControl{})
	m := &held{refs: 1}
	ch.WriteInbound(m)
	require.Equal(t, 1, m.refs)
	ch.Socket.PeerReset()
	require.Zero(t, m.refs)
}

func TestFlowControlPassesWhatWaitsOnWhenRemoved(t *testing.T) {
	c := &collect{}
	ch := pipelinetest.New(t, manual{}, pipeline.Named("flow", &handlers.FlowControl{}), c)
	a, b := "a", "b"
	ch.WriteInbound(&a, &b)
	require.Empty(t, c.got)
	require.NoError(t, ch.Pipeline().Remove("flow"))
	require.Equal(t, "ab", c.got)
}
