package websocket

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// FuzzDecoder feeds any octets whole and in pieces, to decoders of whole messages and of pieces, which must agree; what
// comes out is encoded and decoded again.
func FuzzDecoder(f *testing.F) {
	for _, c := range loadCases(f) {
		if c.Kind != "ws-frame" || len(c.InputHex) > 2000 {
			continue
		}
		f.Add(fromHex(f, c.InputHex), 3, c.Extensions != "", c.Role == "client")
	}
	f.Add(frame(0xc1, "\xf3\x48\xcd\xc9\xc9\x07\x00\xf2\x00\x11\x00\x00"), 1, true, false)
	f.Fuzz(func(t *testing.T, input []byte, n int, deflate, client bool) {
		before := buffer.SharedStats().Live
		config := Decoder{Client: client, Limits: Limits{Frame: 4 << 10, Message: 8 << 10, Fragments: 10}}
		if deflate {
			config.Deflate = takeover()
		}
		whole, wholeErr := run(t, config.decoder(false), input, len(input)+1)
		parts, partsErr := run(t, config.decoder(false), input, 1+n&0x3f)
		pieces, piecesErr := run(t, config.decoder(true), input, 1+n&0x3f)
		wants := shown(whole)
		require.Equal(t, wants, shown(parts))
		require.Equal(t, wants, shown(joinPieces(pieces)))
		require.Equal(t, wholeErr, partsErr)
		require.Equal(t, wholeErr, piecesErr)
		var e *Error
		require.True(t, wholeErr == nil || errors.As(wholeErr, &e))
		again(t, whole, client, config.Deflate)
		for _, list := range [][]any{whole, parts, pieces} {
			for _, m := range list {
				buffer.Release(m)
			}
		}
		require.Equal(t, before, buffer.SharedStats().Live)
	})
}

// again encodes what was decoded, as the same end would, and decodes it.
func again(t *testing.T, msgs []any, client bool, deflate *Deflate) {
	t.Helper()
	e := &Encoder{Client: !client, Deflate: deflate}
	d := &Decoder{Client: client, Deflate: deflate}
	defer e.Reset()
	for _, m := range msgs {
		if c, ok := m.(*Close); ok && c.Code == CodeNone {
			m = &Close{}
		}
		wire, err := encode(e, m)
		require.NoError(t, err)
		got, err := decodeAll(t, d, wire)
		require.NoError(t, err)
		want := show(m)
		if want == `close 0 ""` {
			want = `close 1005 ""`
		}
		require.Equal(t, []string{want}, got)
	}
}

// FuzzSession feeds any octets to the handlers of a connection that echoes: whatever comes, what they send is read by the
// other end without a fault, and nothing is left over.
func FuzzSession(f *testing.F) {
	f.Add([]byte(theirs(Config{}, 0x81, "Hello")+theirs(Config{}, 0x88, "\x03\xe8")), 7, false, false)
	f.Add([]byte(theirs(Config{}, 0xc1, "\xf2\x48\xcd\xc9\xc9\x07\x00")+theirs(Config{}, 0x89, "x")), 1, true, false)
	f.Add([]byte(theirs(Config{Client: true}, 0x01, "a")+theirs(Config{Client: true}, 0x83, "b")), 2, false, true)
	f.Fuzz(func(t *testing.T, input []byte, n int, stream, client bool) {
		c := Config{Client: client, Deflate: takeover()}
		handlers := append(c.Handlers(), echo())
		if stream {
			handlers = append(c.Streaming(&Stream{}), pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
				return ctx.Write(b)
			}))
		}
		ch := pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, handlers...)
		for step := 1 + n&0x3f; len(input) > 0 && ch.Channel().IsOpen(); input = input[min(step, len(input)):] {
			ch.FeedBytes(input[:min(step, len(input))])
		}
		ch.PeerClose()
		ch.RunPending()
		require.True(t, ch.Channel().Closed())
		require.Len(t, closeEvents(ch), 1)
		peerOf(c).read(t, ch)
	})
}
