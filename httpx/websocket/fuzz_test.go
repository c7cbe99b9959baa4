package websocket

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
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
