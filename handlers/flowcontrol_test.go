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

func TestI5EachRequestDeliversOneMessage(t *testing.T) {
	t.Run("core-54 and the rest is released when the channel closes", func(t *testing.T) {
		var got []any
		take := pipeline.OnRead(func(_ *pipeline.Context, m *held) error {
			got = append(got, m)
			return nil
		})
		ch := pipelinetest.New(t, manual{}, &handlers.FlowControl{}, take)
		messages := []*held{{1}, {1}, {1}}
		ch.WriteInbound(messages[0], messages[1], messages[2])
		require.Empty(t, got)
		ch.Pipeline().Read()
		require.Equal(t, []any{messages[0]}, got)
		ch.Socket.PeerReset()
		require.Equal(t, []*held{{1}, {0}, {0}}, messages)
		require.Len(t, got, 1)
	})
	t.Run("requests before the first message are one", func(t *testing.T) {
		c := &collect{}
		ch, read := flowControlled(t, c)
		read()
		read()
		ch.FeedWhole("abc")
		require.Equal(t, "a", c.got)
		read()
		require.Equal(t, "ab", c.got)
		ch.Socket.PeerReset()
	})
	t.Run("requests from inside are served after the message, not within it", func(t *testing.T) {
		depth, most := 0, 0
		c := &collect{do: func(ctx *pipeline.Context) {
			depth++
			most = max(most, depth)
			ctx.Read()
			depth--
		}}
		done := &completes{}
		ch, read := flowControlled(t, c, done)
		ch.FeedWhole("abcdef")
		read()
		require.Equal(t, "abcdef", c.got)
		require.Equal(t, 1, most)
		require.Equal(t, 1, done.n)
		ch.FeedWhole("gh")
		require.Equal(t, "abcdefgh", c.got, "the last request found the queue empty")
	})
	t.Run("one read complete for each batch with auto-read on", func(t *testing.T) {
		c, done := &collect{}, &completes{}
		ch := pipelinetest.New(t, codec.NewDecoder(letters{}), &handlers.FlowControl{}, c, done)
		ch.FeedWhole("abc")
		require.Equal(t, "abc", c.got)
		require.Equal(t, 1, done.n)
	})
	t.Run("auto-read switched off in the middle of a batch", func(t *testing.T) {
		c, done := &collect{do: func(ctx *pipeline.Context) { ctx.SetAutoRead(false) }}, &completes{}
		ch := pipelinetest.New(t, &handlers.FlowControl{}, c, done)
		a, b := "a", "b"
		ch.WriteInbound(&a, &b)
		require.Equal(t, "a", c.got)
		require.Zero(t, done.n)
		ch.Pipeline().Read()
		require.Equal(t, "ab", c.got)
		require.Equal(t, 1, done.n, "its own, for the batch is over")
	})
}

func TestFlowControlDeliversNothingAfterAClose(t *testing.T) {
	closes := &collect{do: func(ctx *pipeline.Context) { ctx.CloseWith(pipeline.CloseNow, nil) }}
	for name, leave := range map[string]func(ch *pipelinetest.Channel){
		"by request": func(ch *pipelinetest.Channel) { ch.Pipeline().Read(); ch.Pipeline().Read() },
		"by removal": func(ch *pipelinetest.Channel) { require.NoError(t, ch.Pipeline().Remove("flow")) },
	} {
		t.Run(name, func(t *testing.T) {
			closes.got = ""
			ch := pipelinetest.New(t, manual{}, pipeline.Named("flow", &handlers.FlowControl{}), closes)
			a, m := "a", &held{1}
			ch.WriteInbound(&a, m)
			leave(ch)
			ch.RunPending()
			require.Equal(t, "a", closes.got)
			require.Zero(t, m.refs)
		})
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
