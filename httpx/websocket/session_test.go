package websocket

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// newEnd is one end of a connection behind the handshake, in front of app.
func newEnd(t testing.TB, c Config, app ...pipeline.Handler) *pipelinetest.Channel {
	t.Helper()
	return pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, append(c.Handlers(), app...)...)
}

// echo sends each message back.
func echo() pipeline.Handler {
	return pipeline.OnRead(func(ctx *pipeline.Context, m *Message) error { return ctx.Write(m) })
}

// peer reads what an end writes: frames as the other end decodes them.
type peer struct {
	d *Decoder
}

// peerOf is the other end of one with config c.
func peerOf(c Config) *peer {
	return &peer{d: &Decoder{Client: !c.Client, Deflate: c.Deflate, Limits: Limits{Frame: 64 << 20, Message: 64 << 20}}}
}

func (p *peer) read(t testing.TB, ch *pipelinetest.Channel) []string {
	t.Helper()
	got, err := decodeAll(t, p.d, []byte(ch.Wire()))
	require.NoError(t, err)
	return got
}

// closeEvents are the CloseEvents among the events that reached the tail.
func closeEvents(ch *pipelinetest.Channel) (list []CloseEvent) {
	for _, e := range ch.Events() {
		if c, ok := e.(CloseEvent); ok {
			list = append(list, c)
		}
	}
	return list
}

func TestSessionEchoesMessages(t *testing.T) {
	var c Config
	ch, p := newEnd(t, c, echo()), peerOf(c)
	ch.Feed(string(frame(0x81, "Hello")))
	ch.Feed(string(frame(0x02, "frag")))
	ch.Feed(string(frame(0x80, "ments")))
	require.Equal(t, []string{`text "Hello"`, `binary "fragments"`}, p.read(t, ch))
}

func TestSessionPassesPiecesInBothDirections(t *testing.T) {
	c := Config{Pieces: true}
	ch, p := newEnd(t, c, pipeline.OnRead(func(ctx *pipeline.Context, m *Piece) error { return ctx.Write(m) })), peerOf(c)
	f := string(frame(0x81, "Hello"))
	ch.Feed(f[:8])
	ch.Feed(f[8:] + string(frame(0x89, "x")))
	require.Equal(t, []string{`text "Hello"`, `pong "x"`}, p.read(t, ch))
	ch.Pipeline().Close(pipeline.CloseDrain, nil)
	ch.RunPending()
	ch.Feed(f)
	require.Equal(t, []string{`close 1000 ""`}, p.read(t, ch))
}

func TestPingsAreAnsweredWithTheirOctets(t *testing.T) {
	var c Config
	ch, p := newEnd(t, c), peerOf(c)
	ch.Feed(string(frame(0x89, "")))
	ch.Feed(string(frame(0x89, strings.Repeat("x", 125))))
	ch.Feed(string(frame(0x8a, "not asked for")))
	require.Equal(t, []string{`pong ""`, show(&Pong{Data: []byte(strings.Repeat("x", 125))})}, p.read(t, ch))
}

func TestOfManyPingsInOneBatchOnlyTheLastIsAnswered(t *testing.T) {
	var c Config
	ch, p := newEnd(t, c), peerOf(c)
	var flood strings.Builder
	for i := range 100 {
		flood.Write(frame(0x89, string(rune('a'+i%26))))
	}
	ch.Feed(flood.String())
	got := p.read(t, ch)
	require.Len(t, got, answeredPings+1)
	require.Equal(t, `pong "a"`, got[0])
	require.Equal(t, `pong "p"`, got[15])
	require.Equal(t, `pong "v"`, got[16])
}

func TestAPingWaitsUntilThePeerReads(t *testing.T) {
	var c Config
	ch, p := newEnd(t, c), peerOf(c)
	ch.Block()
	ch.WriteOutbound(NewBinary(make([]byte, 100<<10)))
	ch.Pipeline().FireRead(newPing([]byte("x")))
	ch.RunPending()
	ch.Unblock()
	ch.RunPending()
	require.Equal(t, []string{show(binaryOf(strings.Repeat("\x00", 100<<10)))}, p.read(t, ch)[:1])
}

func TestTooManyControlFramesEndTheConnection(t *testing.T) {
	c := Config{MaxControl: 10}
	ch, p := newEnd(t, c), peerOf(c)
	for range 3 {
		for range 5 {
			ch.Feed(string(frame(0x89, "")))
			ch.Feed(string(frame(0x8a, "")))
		}
		ch.AdvanceTime(controlSpan)
	}
	require.Len(t, p.read(t, ch), 15)
	for range 11 {
		ch.Feed(string(frame(0x8a, "")))
	}
	require.Equal(t, []string{`close 1008 "too many control frames"`}, p.read(t, ch))
	require.True(t, ch.Channel().Closed())
	events := closeEvents(ch)
	require.Len(t, events, 1)
	require.Equal(t, CodePolicy, events[0].Code)
}

func TestSilentPeersAreAskedAndThenGivenUp(t *testing.T) {
	for _, client := range []bool{false, true} {
		c := Config{Client: client}
		ch, p := newEnd(t, c), peerOf(c)
		answer := func(first byte) string {
			if client {
				return string(plainFrame(first, ""))
			}
			return string(frame(first, ""))
		}
		ch.AdvanceTime(29 * time.Second)
		require.Empty(t, p.read(t, ch))
		ch.AdvanceTime(time.Second)
		require.Equal(t, []string{`ping ""`}, p.read(t, ch))
		ch.AdvanceTime(29 * time.Second)
		ch.Feed(answer(0x8a))
		ch.AdvanceTime(29 * time.Second)
		require.Empty(t, p.read(t, ch))
		ch.AdvanceTime(time.Second)
		require.Equal(t, []string{`ping ""`}, p.read(t, ch))
		ch.AdvanceTime(29 * time.Second)
		require.False(t, ch.Channel().Closed())
		ch.AdvanceTime(time.Second)
		require.Equal(t, []string{`close 1001 "peer is silent"`}, p.read(t, ch))
		events := closeEvents(ch)
		require.Len(t, events, 1)
		require.Error(t, events[0].Err)
	}
}

func TestWithoutPingsWhoIsSilentIsGivenUp(t *testing.T) {
	c := Config{Idle: 10 * time.Second, PingAfter: -1}
	ch, p := newEnd(t, c), peerOf(c)
	ch.AdvanceTime(9 * time.Second)
	require.Empty(t, p.read(t, ch))
	ch.Feed("\x81") // one octet is a sign of life
	ch.AdvanceTime(9 * time.Second)
	require.Empty(t, p.read(t, ch))
	ch.AdvanceTime(time.Second)
	require.Equal(t, []string{`close 1001 "peer is silent"`}, p.read(t, ch))
}

func TestAPeerThatIsNotReadFromIsNotSilent(t *testing.T) {
	var c Config
	ch, p := newEnd(t, c), peerOf(c)
	ch.Pipeline().Get(ch.Pipeline().Names()[0]).SetAutoRead(false)
	ch.AdvanceTime(10 * time.Minute)
	require.Empty(t, p.read(t, ch))
	require.False(t, ch.Channel().Closed())
}

func TestAnIdleConnectionForgetsWhatMessagesCouldReferTo(t *testing.T) {
	c := Config{Deflate: takeover()}
	ch := newEnd(t, c)
	session, _ := pipeline.Find[*Session](ch.Pipeline())
	ch.WriteOutbound(NewText("Hello Hello Hello Hello"))
	require.NotNil(t, session.Encoder.packer)
	for range 3 {
		ch.AdvanceTime(25 * time.Second)
		ch.Feed(string(frame(0x8a, "")))
	}
	require.Nil(t, session.Encoder.packer)
	ch.WriteOutbound(NewText("Hello Hello Hello Hello"))
}

func TestRawBytesAndFilesAreRefused(t *testing.T) {
	ch := newEnd(t, Config{})
	for _, msg := range []any{buffer.FromString("x"), buffer.NewComposite(), pipeline.NewFileRegion(nil, 0, 0, false)} {
		require.ErrorIs(t, ch.Pipeline().Write(msg), ErrRawBytes)
	}
	require.Empty(t, ch.Wire())
}

func TestMessagesThatAreNotOursPass(t *testing.T) {
	type other struct{}
	ch := newEnd(t, Config{})
	ch.WriteInbound(&other{})
	require.NotNil(t, pipelinetest.In[*other](ch))
	ch.WriteOutbound(&other{})
	require.NotNil(t, pipelinetest.Out[*other](ch))
}

func TestASessionThatWaitsForItsChannelStartsWithIt(t *testing.T) {
	ch := pipelinetest.New(t)
	require.NoError(t, ch.Pipeline().AddLast(Config{}.Handlers()...))
	require.Positive(t, ch.PendingTimers())
	require.NoError(t, ch.Pipeline().AddLast(pipeline.Named("app", echo())))
	require.NoError(t, Install(ch.Pipeline().Get("app"), Config{Client: true}))
	require.Len(t, ch.Pipeline().Names(), 7)
}
