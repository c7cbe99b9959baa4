package websocket

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// capped is an end whose peer takes nothing and whose queue has room for n octets.
func capped(t *testing.T, c Config, n int) *pipelinetest.Channel {
	t.Helper()
	config := pipelinetest.Config{Whole: true}
	config.Options.HardCap, config.Options.WriteHigh = n, n
	ch := pipelinetest.NewConfig(t, config, c.Handlers()...)
	ch.Block()
	return ch
}

func TestMessagesDoNotReferToOneThatWasRefused(t *testing.T) {
	leakCheck(t)
	for _, withPromise := range []bool{false, true} {
		c := Config{Deflate: takeover()}
		ch, p := capped(t, c, 600), peerOf(c)
		words := "words that come again and again; "
		ch.WriteOutbound(NewText(words), NewBinary(noise(550)))
		lost := NewText("lost: " + words + "abcabcabc")
		if withPromise {
			promise, outcome := ch.Watch()
			ch.Pipeline().WriteWith(lost, promise)
			require.ErrorIs(t, outcome.Err, pipeline.ErrOutboundFull)
		} else {
			require.ErrorIs(t, ch.Pipeline().Write(lost), pipeline.ErrOutboundFull)
		}
		ch.Unblock()
		ch.RunPending()
		ch.WriteOutbound(NewText("lost: "+words+"abcabcabc"), NewText(words))
		require.Equal(t, []string{gotText(words), show(binaryOf(string(noise(550)))), gotText("lost: " + words + "abcabcabc"), gotText(words)}, p.read(t, ch))
	}
}

// noise is n octets that can't be compressed.
func noise(n int) []byte {
	p := make([]byte, n)
	x := uint32(1)
	for i := range p {
		x = x*1664525 + 1013904223
		p[i] = byte(x >> 24)
	}
	return p
}

func TestAMessageThatOthersReferToIsNotCancelled(t *testing.T) {
	leakCheck(t)
	for _, deflate := range []*Deflate{nil, {MinBytes: 1}, takeover()} {
		c := Config{Deflate: deflate}
		ch, p := newEnd(t, c), peerOf(c)
		text := "a text that is long enough to be referred to"
		promise, outcome := ch.Watch()
		ch.Block()
		var cancelled bool
		require.NoError(t, ch.Channel().Post(func() {
			ch.Pipeline().WriteWith(NewText(text), promise)
			cancelled = promise.Cancel()
			require.NoError(t, ch.Pipeline().Write(NewText(text)))
		}))
		ch.RunPending()
		ch.Unblock()
		ch.RunPending()
		keeps := deflate != nil && deflate.ServerTakeover
		require.Equal(t, !keeps, cancelled)
		require.True(t, outcome.Done)
		if keeps {
			require.NoError(t, outcome.Err)
			require.Equal(t, []string{gotText(text), gotText(text)}, p.read(t, ch))
			continue
		}
		require.ErrorIs(t, outcome.Err, pipeline.ErrCancelled)
		require.Equal(t, []string{gotText(text)}, p.read(t, ch))
	}
}

func TestAPieceThatWasRefusedCanBeSentAgain(t *testing.T) {
	leakCheck(t)
	var c Config
	ch, p := capped(t, c, 1000), peerOf(c)
	piece := func(s string, first, last bool) *Piece { return NewPiece(TypeText, buffer.FromString(s), first, last) }
	ch.WriteOutbound(NewBinary(make([]byte, 990)))
	require.ErrorIs(t, ch.Pipeline().Write(piece("first\xe2", true, false)), pipeline.ErrOutboundFull)
	require.ErrorIs(t, ch.Pipeline().Write(piece("x", false, true)), ErrOrder)
	ch.Unblock()
	ch.RunPending()
	ch.WriteOutbound(NewText("between"), piece("first\xe2", true, false))
	ch.Block()
	ch.WriteOutbound(&Ping{Data: make([]byte, 125)})
	require.ErrorIs(t, ch.Pipeline().Write(piece("\x82\xac"+strings.Repeat("x", 900), false, false)), pipeline.ErrOutboundFull)
	ch.Unblock()
	ch.RunPending()
	ch.WriteOutbound(piece("\x82\xac", false, false), piece("last", false, true))
	got := p.read(t, ch)
	require.Equal(t, []string{gotText("between"), show(&Ping{Data: make([]byte, 125)}), gotText("first€last")}, got[1:])
}
