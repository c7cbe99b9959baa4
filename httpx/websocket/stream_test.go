package websocket

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// lines is a protocol as Stream installs it: lines that are sent back in upper case.
func lines(ctx *pipeline.Context) error {
	return ctx.AddAfter(codec.NewDecoder(&codec.Line{}), codec.NewEncoder[any](codec.LineEncoder{}),
		pipeline.OnLend(func(ctx *pipeline.Context, line *buffer.Buffer) error {
			return ctx.Write(buffer.FromString(strings.ToUpper(string(line.Bytes()))))
		}))
}

func newStream(t *testing.T, c Config, s *Stream, app ...pipeline.Handler) *pipelinetest.Channel {
	t.Helper()
	return pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, append(c.Streaming(s), app...)...)
}

func TestStreamCarriesAProtocol(t *testing.T) {
	for _, text := range []bool{false, true} {
		var c Config
		ch, p := newStream(t, c, &Stream{Text: text, Install: lines}), peerOf(c)
		ch.Feed(string(frame(0x01, "hel")) + string(frame(0x89, "stays inside")) + string(frame(0x80, "lo\nwor")) + string(frame(0x82, "ld\n!")))
		kind := TypeBinary
		if text {
			kind = TypeText
		}
		require.Equal(t, []string{`pong "stays inside"`, show(whole{kind, "HELLO\n"}), show(whole{kind, "WORLD\n"})}, p.read(t, ch))
		require.Len(t, ch.Pipeline().Names(), 7, "the berth has left")
	}
}

func TestStreamPassesOctetsAsTheyArrive(t *testing.T) {
	ch := newStream(t, Config{}, &Stream{})
	f := string(frame(0x82, "abc"))
	ch.Feed(f[:7])
	b := pipelinetest.In[*buffer.Buffer](ch)
	require.Equal(t, "a", string(b.Bytes()))
	b.Release()
	ch.Feed(f[7:])
	b = pipelinetest.In[*buffer.Buffer](ch)
	require.Equal(t, "bc", string(b.Bytes()))
	b.Release()
	ch.Feed(string(frame(0x82, "")))
	require.Nil(t, ch.ReadInbound(), "an empty message is no octet")
}

func TestStreamMakesOneMessageOfEachOutboundBuffer(t *testing.T) {
	leakCheck(t)
	var c Config
	ch, p := newStream(t, c, &Stream{}), peerOf(c)
	rope := buffer.NewComposite()
	rope.Append(buffer.FromString("a ro"))
	rope.Append(buffer.FromString("pe"))
	ch.WriteOutbound(buffer.FromString("bytes"), rope, NewText("text"), buffer.FromString(""))
	require.Equal(t, []string{`binary "bytes"`, `binary "a rope"`, `text "text"`, `binary ""`}, p.read(t, ch))
	require.ErrorIs(t, ch.Pipeline().Write(pipeline.NewFileRegion(nil, 0, 0, false)), ErrRawBytes)
}

func TestACloseFrameIsTheEndOfTheStream(t *testing.T) {
	var c Config
	rec := new(pipelinetest.Recorder)
	ch := newStream(t, c, &Stream{}, rec)
	rec.Take()
	ch.PeerLingers(true)
	ch.Feed(string(frame(0x88, "\x03\xe8")))
	require.Equal(t, []string{"event", "read closed", "read complete"}, rec.Take())
	ch.PeerClose()
	ch.RunPending()
	require.Equal(t, []string{"inactive", "removed"}, rec.Take())
}

func TestTheEndOfTheConnectionIsTheEndOfTheStreamOnce(t *testing.T) {
	rec := new(pipelinetest.Recorder)
	ch := newStream(t, Config{}, &Stream{}, rec)
	rec.Take()
	ch.PeerClose()
	ch.RunPending()
	require.Equal(t, []string{"event", "read closed", "inactive", "removed"}, without(rec.Take(), "close drain"))
}

func without(list []string, what string) (rest []string) {
	for _, s := range list {
		if s != what {
			rest = append(rest, s)
		}
	}
	return rest
}

func TestStreamTakesWholeMessages(t *testing.T) {
	ch := pipelinetest.New(t, &Stream{})
	m := NewText("wh")
	m.AppendString("ole")
	ch.WriteInbound(m)
	b := pipelinetest.In[*buffer.Buffer](ch)
	require.Equal(t, "whole", string(b.Bytes()))
	b.Release()
}

func TestAProtocolThatCannotBeInstalledClosesTheChannel(t *testing.T) {
	refused := errors.New("refused")
	ch := newStream(t, Config{}, &Stream{Install: func(*pipeline.Context) error { return refused }})
	ch.ExpectError(refused)
}

func TestStreamInflates(t *testing.T) {
	c := Config{Deflate: takeover()}
	ch, p := newStream(t, c, &Stream{Install: lines}), peerOf(c)
	ch.Feed(string(frame(0xc2, deflated(t, "hello\nworld\n"))))
	require.Equal(t, []string{`binary "HELLO\n"`, `binary "WORLD\n"`}, p.read(t, ch))
}
