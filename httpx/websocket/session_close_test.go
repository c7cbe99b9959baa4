package websocket

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// theirs is a frame of the peer of an end with config c.
func theirs(c Config, first byte, payload string) string {
	if c.Client {
		return string(plainFrame(first, payload))
	}
	return string(frame(first, payload))
}

func bothEnds(t *testing.T, f func(t *testing.T, c Config)) {
	t.Helper()
	t.Run("server", func(t *testing.T) { f(t, Config{}) })
	t.Run("client", func(t *testing.T) { f(t, Config{Client: true}) })
}

func TestThePeersCloseIsAnsweredWithItsCode(t *testing.T) {
	bothEnds(t, func(t *testing.T, c Config) {
		t.Helper()
		for _, tt := range []struct {
			payload, answer string
			event           CloseEvent
		}{
			{"", `close 1005 ""`, CloseEvent{Code: CodeNone, Remote: true, Clean: true}},
			{"\x03\xe8bye", `close 1000 ""`, CloseEvent{Code: CodeNormal, Reason: "bye", Remote: true, Clean: true}},
			{"\x0f\xa1", `close 4001 ""`, CloseEvent{Code: 4001, Remote: true, Clean: true}},
		} {
			ch, p := newEnd(t, c, echo()), peerOf(c)
			ch.PeerLingers(true)
			ch.Feed(theirs(c, 0x82, "first") + theirs(c, 0x88, tt.payload) + theirs(c, 0x82, "behind"))
			require.Equal(t, []string{`binary "first"`, tt.answer}, p.read(t, ch))
			require.Equal(t, []CloseEvent{tt.event}, closeEvents(ch))
			require.Equal(t, !c.Client, ch.FINSent(), "the server closes TCP first")
			ch.PeerClose()
			ch.RunPending()
			require.True(t, ch.Channel().Closed())
			require.Empty(t, closeEvents(ch))
		}
	})
}

func TestACloseReadsThePeersFrameAlsoWhenReadingWasStopped(t *testing.T) {
	bothEnds(t, func(t *testing.T, c Config) {
		t.Helper()
		ch, p := newEnd(t, c, echo()), peerOf(c)
		ch.Pipeline().Get(ch.Pipeline().Names()[0]).SetAutoRead(false)
		ch.Channel().CloseWith(pipeline.CloseDrain, nil)
		ch.RunPending()
		require.Equal(t, []string{`close 1000 ""`}, p.read(t, ch))
		ch.Feed(theirs(c, 0x82, "on its way") + theirs(c, 0x88, "\x03\xe8"))
		require.Equal(t, []CloseEvent{{Code: CodeNormal, Clean: true}}, closeEvents(ch))
		ch.PeerClose()
		ch.RunPending()
		require.True(t, ch.Channel().Closed())
	})
}

func TestCloseSendsAFrameAndWaitsForThePeers(t *testing.T) {
	bothEnds(t, func(t *testing.T, c Config) {
		t.Helper()
		ch, p := newEnd(t, c, echo()), peerOf(c)
		ch.PeerLingers(true)
		promise, closed := ch.Watch()
		ch.Channel().CloseWith(pipeline.CloseDrain, promise)
		ch.RunPending()
		require.Equal(t, []string{`close 1000 ""`}, p.read(t, ch))
		require.ErrorIs(t, ch.Pipeline().Write(NewText("late")), ErrCloseSent)
		require.ErrorIs(t, ch.Pipeline().Write(&Close{}), net.ErrClosed)
		ch.Feed(theirs(c, 0x82, "on its way") + theirs(c, 0x89, "so is this"))
		require.Empty(t, p.read(t, ch))
		require.False(t, ch.FINSent())
		ch.Feed(theirs(c, 0x88, "\x03\xe8"))
		require.Equal(t, []CloseEvent{{Code: CodeNormal, Clean: true}}, closeEvents(ch))
		require.Equal(t, !c.Client, ch.FINSent())
		require.False(t, closed.Done)
		ch.PeerClose()
		ch.RunPending()
		require.Equal(t, pipelinetest.Outcome{Done: true}, *closed)
	})
}

func TestAPeerThatDoesNotAnswerTheCloseIsNotWaitedForLong(t *testing.T) {
	bothEnds(t, func(t *testing.T, c Config) {
		t.Helper()
		ch, p := newEnd(t, c), peerOf(c)
		ch.PeerLingers(true)
		promise, closed := ch.Watch()
		ch.Channel().CloseWith(pipeline.CloseDrain, promise)
		ch.RunPending()
		require.Equal(t, []string{`close 1000 ""`}, p.read(t, ch))
		ch.AdvanceTime(DefaultCloseWithin - time.Millisecond)
		require.False(t, closed.Done)
		ch.AdvanceTime(time.Millisecond)
		require.True(t, closed.Done)
		events := closeEvents(ch)
		require.Len(t, events, 1)
		require.Equal(t, CodeAbnormal, events[0].Code)
		var late *handlers.TimeoutError
		require.ErrorAs(t, events[0].Err, &late)
	})
}

func TestTheTimeToAnswerStartsWhenTheCloseFrameHasLeft(t *testing.T) {
	var c Config
	ch := newEnd(t, c)
	ch.PeerLingers(true)
	ch.Block()
	ch.WriteOutbound(NewBinary(make([]byte, 1000)))
	ch.Channel().CloseWith(pipeline.CloseDrain, nil)
	ch.AdvanceTime(20 * time.Second)
	require.False(t, ch.Channel().Closed())
	ch.Unblock()
	ch.RunPending()
	ch.AdvanceTime(4 * time.Second)
	require.False(t, ch.Channel().Closed())
	ch.AdvanceTime(time.Second)
	require.True(t, ch.Channel().Closed())
}

func TestAServerThatDoesNotCloseTCPIsNotWaitedForLong(t *testing.T) {
	c := Config{Client: true, CloseWithin: time.Second}
	ch := newEnd(t, c)
	ch.PeerLingers(true)
	ch.Feed(theirs(c, 0x88, ""))
	ch.AdvanceTime(999 * time.Millisecond)
	require.False(t, ch.FINSent())
	ch.AdvanceTime(time.Millisecond)
	require.True(t, ch.FINSent())
	ch.AdvanceTime(2 * time.Second)
	require.True(t, ch.Channel().Closed())
}

func TestWritingACloseSaysWhyAndGoesOnReading(t *testing.T) {
	bothEnds(t, func(t *testing.T, c Config) {
		t.Helper()
		ch, p := newEnd(t, c), peerOf(c)
		require.ErrorIs(t, ch.Pipeline().Write(&Close{Code: CodeAbnormal}), ErrControl)
		promise, sent := ch.Watch()
		ch.Pipeline().WriteWith(&Close{Code: 4002, Reason: "enough"}, promise)
		ch.RunPending()
		require.True(t, sent.Done)
		require.Equal(t, []string{`close 4002 "enough"`}, p.read(t, ch))
		ch.Feed(theirs(c, 0x82, "last words"))
		m := pipelinetest.In[*Message](ch)
		require.Equal(t, "last words", m.Text())
		m.Release()
		ch.Feed(theirs(c, 0x88, "\x0f\xa2"))
		require.Equal(t, []CloseEvent{{Code: 4002, Clean: true}}, closeEvents(ch))
		ch.PeerClose()
		ch.RunPending()
		require.True(t, ch.Channel().Closed())
	})
}

func TestClosingTheWriteSideIsACloseFrame(t *testing.T) {
	var c Config
	ch, p := newEnd(t, c), peerOf(c)
	for range 2 {
		promise, ended := ch.Watch()
		ch.Channel().CloseWith(pipeline.CloseWrite, promise)
		ch.RunPending()
		require.Equal(t, pipelinetest.Outcome{Done: true}, *ended)
	}
	require.Equal(t, []string{`close 1000 ""`}, p.read(t, ch))
	require.False(t, ch.FINSent())
	ch.Feed(theirs(c, 0x82, "x"))
	pipelinetest.In[*Message](ch).Release()
	ch.AdvanceTime(DefaultCloseWithin)
	require.True(t, ch.Channel().Closed())
}

func TestBrokenFramesAreAnsweredAndNotWaitedFor(t *testing.T) {
	bothEnds(t, func(t *testing.T, c Config) {
		t.Helper()
		for _, tt := range []struct {
			input, answer string
			code          Code
		}{
			{theirs(c, 0x83, "x"), `close 1002 "reserved opcode"`, CodeProtocol},
			{theirs(c, 0x81, "\xff"), `close 1007 "invalid utf-8"`, CodeInvalidPayload},
			{theirs(c, 0x82, strings.Repeat("x", 2000)), `close 1009 "frame too big"`, CodeTooBig},
		} {
			c.Limits.Frame = 1000
			ch, p := newEnd(t, c, echo()), peerOf(c)
			ch.PeerLingers(true)
			ch.Feed(theirs(c, 0x82, "first") + tt.input + theirs(c, 0x82, "behind"))
			require.Equal(t, []string{`binary "first"`, tt.answer}, p.read(t, ch))
			require.True(t, ch.FINSent())
			events := closeEvents(ch)
			require.Len(t, events, 1)
			require.Equal(t, tt.code, events[0].Code)
			require.False(t, events[0].Clean)
			require.ErrorIs(t, events[0].Err, codeError(tt.code))
		}
	})
}

func TestAnEndWithoutACloseFrameIsAbnormal(t *testing.T) {
	bothEnds(t, func(t *testing.T, c Config) {
		t.Helper()
		for _, half := range []bool{false, true} {
			config := pipelinetest.Config{Whole: true}
			config.Options.AllowHalfClose = half
			ch := pipelinetest.NewConfig(t, config, c.Handlers()...)
			ch.Feed(theirs(c, 0x82, "half")[:4])
			ch.PeerClose()
			ch.RunPending()
			require.True(t, ch.Channel().Closed(), "there is no half of a WebSocket")
			events := closeEvents(ch)
			require.Len(t, events, 1)
			require.Equal(t, CodeAbnormal, events[0].Code)
			require.ErrorIs(t, events[0].Err, io.ErrUnexpectedEOF)

			ch = newEnd(t, c)
			ch.PeerClose()
			ch.RunPending()
			require.True(t, ch.Channel().Closed())
			require.Equal(t, []CloseEvent{{Code: CodeAbnormal}}, closeEvents(ch))
		}
	})
}

func TestAResetIsAbnormalAndCompletesTheCloseThatWaits(t *testing.T) {
	ch := newEnd(t, Config{})
	ch.PeerLingers(true)
	promise, closed := ch.Watch()
	ch.Channel().CloseWith(pipeline.CloseDrain, promise)
	ch.RunPending()
	ch.PeerReset()
	ch.RunPending()
	require.True(t, closed.Done)
	require.NoError(t, closed.Err)
	events := closeEvents(ch)
	require.Len(t, events, 1)
	require.Equal(t, CodeAbnormal, events[0].Code)
	require.ErrorIs(t, events[0].Err, pipeline.ErrReset)
	_ = ch.CheckErr()
}

func TestOtherClosesDoNotShakeHands(t *testing.T) {
	for _, how := range []pipeline.CloseMode{pipeline.CloseNow, pipeline.CloseReset} {
		ch := newEnd(t, Config{})
		ch.Channel().CloseWith(how, nil)
		ch.RunPending()
		require.Empty(t, ch.Wire())
		require.True(t, ch.Channel().Closed())
		events := closeEvents(ch)
		require.Len(t, events, 1)
		require.Equal(t, CodeAbnormal, events[0].Code)
	}
}

func TestACloseSaysWhy(t *testing.T) {
	ch, p := newEnd(t, Config{}), peerOf(Config{})
	ch.Pipeline().FireEvent(pipeline.ShutdownEvent{})
	ch.Channel().CloseWith(pipeline.CloseDrain, nil)
	ch.RunPending()
	require.Equal(t, []string{`close 1001 ""`}, p.read(t, ch))

	broken := errors.New("broken")
	ch, p = newEnd(t, Config{}, pipeline.OnLend(func(*pipeline.Context, *Message) error { return broken })), peerOf(Config{})
	ch.Feed(string(frame(0x82, "x")))
	ch.ExpectError(broken)
	require.Equal(t, []string{`close 1011 ""`}, p.read(t, ch))
}

func TestAFullQueueEndsTheConnectionWithoutAHandshake(t *testing.T) {
	config := pipelinetest.Config{Whole: true}
	config.Options.HardCap, config.Options.WriteHigh = 1000, 1000
	ch := pipelinetest.NewConfig(t, config, Config{}.Handlers()...)
	ch.Block()
	ch.WriteOutbound(NewBinary(make([]byte, 996)))
	ch.Channel().CloseWith(pipeline.CloseDrain, nil)
	ch.RunPending()
	require.True(t, ch.Channel().Closed())
}

func TestARemovedSessionLetsTheCloseGo(t *testing.T) {
	ch := newEnd(t, Config{})
	ch.PeerLingers(true)
	promise, closed := ch.Watch()
	ch.Channel().CloseWith(pipeline.CloseDrain, promise)
	ch.RunPending()
	_, ctx := pipeline.Find[*Session](ch.Pipeline())
	ctx.Remove()
	ch.RunPending()
	require.True(t, ch.FINSent())
	ch.PeerClose()
	ch.RunPending()
	require.True(t, closed.Done)
}
