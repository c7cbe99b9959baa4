package embedded_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestFedBytesComeBackOnTheWire(t *testing.T) {
	ch := open(t, embedded.Config{}, echo())
	require.NoError(t, ch.FeedString("hello"))
	require.Equal(t, "hello", ch.WireString())
	require.Empty(t, ch.WireString())
	require.NoError(t, ch.Feed([]byte(" world")))
	require.Equal(t, []byte(" world"), ch.Wire())
	require.Nil(t, ch.Wire())
}

func TestFeedCopiesItsBytes(t *testing.T) {
	ch := open(t, embedded.Config{})
	p := []byte("abc")
	require.NoError(t, ch.Feed(p))
	copy(p, "xyz")
	b, err := embedded.In[*buffer.Buffer](ch)
	require.NoError(t, err)
	require.Equal(t, "abc", string(b.Bytes()))
	b.Release()
}

func TestBytesStayInTheSocketWhileAutoReadIsOff(t *testing.T) {
	e := &events{}
	ch, err := embedded.NewInit(embedded.Config{}, func(c *pipeline.Channel) error { return c.Pipeline().AddLast(e, &quiet{}, echo()) })
	require.NoError(t, err)
	require.NoError(t, ch.FeedString("one"))
	require.NoError(t, ch.FeedString("two"))
	require.Empty(t, ch.Wire())
	require.Equal(t, 6, ch.Unread())
	reads, writes := ch.Interest()
	require.False(t, reads)
	require.False(t, writes)

	ch.Pipeline().Read()
	ch.RunPending()
	require.Equal(t, "onetwo", ch.WireString())
	require.NoError(t, ch.FeedString("three"))
	require.Equal(t, 5, ch.Unread(), "a request is for one batch")
	q, ctx := pipeline.Find[*quiet](ch.Pipeline())
	require.NotNil(t, q)
	ctx.SetAutoRead(true)
	ch.RunPending()
	require.Equal(t, "three", ch.WireString())
	_, err = ch.Finish()
	require.NoError(t, err)
}

// quiet turns auto-read off when its channel becomes active.
type quiet struct{}

// HandleActive turns reading off.
func (*quiet) HandleActive(ctx *pipeline.Context) error {
	ctx.SetAutoRead(false)
	ctx.FireActive()
	return nil
}

func TestBytesStayInTheSocketWhileThePeerTakesNothing(t *testing.T) {
	ch := open(t, embedded.Config{Options: pipeline.Options{WriteHigh: 10, WriteLow: 5}}, echo())
	ch.Block()
	ch.ShortReads(4)
	require.NoError(t, ch.FeedString(strings.Repeat("x", 40)))
	require.Equal(t, 12, ch.Channel().Pending(), "reading stops above the high watermark")
	require.Equal(t, 28, ch.Unread())
	ch.Unblock()
	require.Zero(t, ch.Unread())
	require.Equal(t, strings.Repeat("x", 40), ch.WireString())
}

func TestCore37BytesFedInsideAReadAreReadAfterIt(t *testing.T) {
	var ch *embedded.Channel
	var log []string
	ch = open(t, embedded.Config{}, pipeline.OnLend(func(_ *pipeline.Context, b *buffer.Buffer) error {
		m := string(b.Bytes())
		log = append(log, m+" begins")
		if m == "m1" {
			require.NoError(t, ch.FeedString("m2"))
		}
		log = append(log, m+" ends")
		return nil
	}))
	require.NoError(t, ch.FeedString("m1"))
	require.Equal(t, []string{"m1 begins", "m1 ends", "m2 begins", "m2 ends"}, log)
}

func TestFeedFailsWhenNobodyCanReadOrSend(t *testing.T) {
	ch := open(t, embedded.Config{Options: pipeline.Options{AllowHalfClose: true}}, echo())
	ch.PeerClose()
	require.ErrorIs(t, ch.FeedString("late"), io.ErrClosedPipe)
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	require.ErrorIs(t, ch.Feed([]byte("later")), pipeline.ErrClosed)
}

func TestWriteInboundFiresMessagesAsOneBatch(t *testing.T) {
	e := &events{}
	ch := open(t, embedded.Config{}, e)
	e.take()
	require.NoError(t, ch.WriteInbound(&note{"a"}, &note{"b"}))
	require.Equal(t, []string{"read complete"}, e.take())
	require.Equal(t, &note{"a"}, ch.ReadInbound())
	require.Equal(t, &note{"b"}, ch.ReadInbound())
	require.Nil(t, ch.ReadInbound())
}

func TestWriteOutboundSendsAlsoWithManualFlush(t *testing.T) {
	ch := open(t, embedded.Config{Options: pipeline.Options{ManualFlush: true}})
	require.NoError(t, ch.WriteOutbound(buffer.FromString("a"), buffer.FromString("b")))
	require.Equal(t, "ab", ch.WireString())
	require.NoError(t, ch.Pipeline().Write(buffer.FromString("c")))
	ch.RunPending()
	require.Empty(t, ch.WireString(), "nothing is sent before Flush")
	ch.Pipeline().Flush()
	require.Equal(t, "c", ch.WireString())
}

func TestWriteOutboundReturnsTheRefusal(t *testing.T) {
	refused := errors.New("refused")
	ch := open(t, embedded.Config{}, pipeline.OnWrite(func(_ *pipeline.Context, _ *note, _ *pipeline.Promise) error { return refused }))
	require.Equal(t, refused, ch.WriteOutbound(&note{}, &note{}))
	require.NoError(t, ch.CheckErr())
}

func TestWritingToAClosedChannelReleasesTheMessages(t *testing.T) {
	ch := open(t, embedded.Config{})
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	pool := ch.Loop().Pool()
	require.ErrorIs(t, ch.WriteInbound(pool.Get(10), pool.Get(10)), pipeline.ErrClosed)
	require.ErrorIs(t, ch.WriteOutbound(pool.Get(10)), pipeline.ErrClosed)
	require.Zero(t, pool.Live())
}

func TestPostedCloseComesBeforeALaterWrite(t *testing.T) {
	for name, write := range map[string]func(ch *embedded.Channel, m any) error{
		"inbound":  func(ch *embedded.Channel, m any) error { return ch.WriteInbound(m) },
		"outbound": func(ch *embedded.Channel, m any) error { return ch.WriteOutbound(m) },
	} {
		t.Run(name, func(t *testing.T) {
			ch := open(t, embedded.Config{})
			require.NoError(t, ch.Channel().Close())
			require.ErrorIs(t, write(ch, ch.Loop().Pool().Get(10)), pipeline.ErrClosed)
		})
	}
}

func TestCallsInsideACallbackJoinTheRunUnderWay(t *testing.T) {
	var ch *embedded.Channel
	ch = open(t, embedded.Config{}, pipeline.OnRead(func(ctx *pipeline.Context, n *note) error {
		if n.text == "first" {
			require.NoError(t, ch.WriteInbound(&note{"second"}))
			require.NoError(t, ch.WriteOutbound(buffer.FromString("out")))
			ch.RunPending()
			require.NoError(t, ch.FeedString("fed"))
			require.Equal(t, 3, ch.Unread(), "the batch has not ended")
		}
		ctx.FireRead(n)
		return nil
	}))
	require.NoError(t, ch.WriteInbound(&note{"first"}))
	require.Equal(t, "out", ch.WireString())
	require.Equal(t, &note{"second"}, ch.ReadInbound())
	require.Equal(t, &note{"first"}, ch.ReadInbound())
	b, err := embedded.In[*buffer.Buffer](ch)
	require.NoError(t, err)
	require.Equal(t, "fed", string(b.Bytes()))
	b.Release()
}
