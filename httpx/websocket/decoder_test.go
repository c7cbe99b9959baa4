package websocket

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestNothingIsDecodedBehindACloseFrame(t *testing.T) {
	d := new(Decoder)
	got, err := decodeAll(t, d, append(frame(0x88, "\x03\xe8bye"), frame(0x82, "x")...))
	require.NoError(t, err)
	require.Equal(t, []string{`close 1000 "bye"`}, got)
	got, err = decodeAll(t, d, frame(0x83, "what is this"))
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestNothingIsDecodedBehindAnError(t *testing.T) {
	d := new(Decoder)
	_, err := decodeAll(t, d, frame(0x83, "x"))
	require.Error(t, err)
	got, err := decodeAll(t, d, frame(0x82, "x"))
	require.NoError(t, err, "it is said once")
	require.Empty(t, got)
	d.Reset()
	got, err = decodeAll(t, d, frame(0x82, "x"))
	require.NoError(t, err)
	require.Equal(t, []string{`binary "x"`}, got)
}

func TestAnEndInsideAMessageIsAnError(t *testing.T) {
	for name, tt := range map[string]struct {
		input []byte
		whole bool
	}{
		"nothing":             {nil, true},
		"whole message":       {frame(0x82, "x"), true},
		"close":               {frame(0x88, ""), true},
		"head":                {frame(0x82, "x")[:1], false},
		"payload":             {frame(0x82, "xyz")[:7], false},
		"control payload":     {frame(0x89, "xyz")[:7], false},
		"between fragments":   {frame(0x02, "xyz"), false},
		"control in fragment": {append(frame(0x02, "xyz"), frame(0x89, "")...), false},
	} {
		t.Run(name, func(t *testing.T) {
			d := new(Decoder)
			in := buffer.FromBytes(tt.input)
			defer in.Release()
			for {
				m, ok, err := d.Decode(in)
				require.NoError(t, err)
				if !ok {
					break
				}
				buffer.Release(m)
			}
			_, ok, err := d.DecodeEOF(in)
			require.False(t, ok)
			if tt.whole {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.ErrorIs(t, err, codeError(CodeAbnormal))
			require.Zero(t, in.Len())
		})
	}
}

func TestWhatFollowsAnErrorInTheHeadIsTheSameForRepeatedBits(t *testing.T) {
	for name, tt := range map[string]struct {
		config Decoder
		input  []byte
		want   []any
	}{
		"rsv1 without extension":  {Decoder{}, frame(0xc2, "x"), nil},
		"rsv2":                    {Decoder{}, frame(0xa2, "x"), nil},
		"rsv3":                    {Decoder{}, frame(0x92, "x"), nil},
		"rsv2 with deflate":       {Decoder{Deflate: &Deflate{}}, frame(0xa2, "x"), nil},
		"rsv1 on a ping":          {Decoder{Deflate: &Deflate{}}, frame(0xc9, "x"), nil},
		"rsv behind a message":    {Decoder{}, append(frame(0x82, "x"), frame(0xf2, "x")...), []any{binaryOf("x")}},
		"continuation behind one": {Decoder{}, append(frame(0x82, "x"), frame(0x80, "x")...), []any{binaryOf("x")}},
		"fragmented ping":         {Decoder{}, frame(0x09, ""), nil},
		"reserved control":        {Decoder{}, frame(0x8b, ""), nil},
		"masked to a client":      {Decoder{Client: true}, frame(0x82, "x"), nil},
		"plain to a server":       {Decoder{}, plainFrame(0x82, "x"), nil},
		"long length of a ping":   {Decoder{AllowNonMinimal: true}, fromHex(t, "89fe000100000000ff"), nil},
		"length 127 for 126":      {Decoder{}, fromHex(t, "82ff000000000000007e00000000"), nil},
	} {
		t.Run(name, func(t *testing.T) { verifyError(t, tt.config, tt.input, CodeProtocol, tt.want...) })
	}
}

func TestServersFramesAreDecodedByClients(t *testing.T) {
	long := strings.Repeat("0123456789", 100)
	input := append(plainFrame(0x01, long), plainFrame(0x8a, "pong")...)
	input = append(input, plainFrame(0x00, "")...)
	input = append(input, plainFrame(0x80, "end")...)
	verify(t, Decoder{Client: true}, input, &Pong{Data: []byte("pong")}, textOf(long+"end"))
}

func TestTextIsRefusedBeforeItsFrameIsComplete(t *testing.T) {
	d := new(Decoder)
	whole := frame(0x01, "κόσμε\xf4\x90\x80\x80edited")
	_, err := decodeAll(t, d, whole[:len(whole)-8])
	require.ErrorIs(t, err, codeError(CodeInvalidPayload))
	d = &Decoder{Stream: true}
	got, err := decodeAll(t, d, whole[:6+13])
	require.ErrorIs(t, err, codeError(CodeInvalidPayload))
	require.Empty(t, got, "a piece with a bad octet is not emitted")
}

func TestPiecesComeAsTheirOctetsArrive(t *testing.T) {
	d := &Decoder{Stream: true}
	whole := append(frame(0x01, "Hel"), frame(0x80, "lo")...)
	in := buffer.Get(64)
	defer in.Release()
	var got []string
	for _, octet := range whole {
		in.AppendByte(octet)
		for {
			m, ok, err := d.Decode(in)
			require.NoError(t, err)
			if !ok {
				break
			}
			got = append(got, show(m))
			buffer.Release(m)
		}
	}
	require.Equal(t, []string{
		`piece text "H" true false`, `piece text "e" false false`, `piece text "l" false false`,
		`piece text "l" false false`, `piece text "o" false true`,
	}, got)
	got, err := decodeAll(t, d, append(append(frame(0x02, ""), frame(0x00, "")...), frame(0x80, "")...))
	require.NoError(t, err)
	require.Equal(t, []string{`piece binary "" true true`}, got, "empty fragments say nothing")
	got, err = decodeAll(t, d, append(frame(0x02, "a"), frame(0x80, "")...))
	require.NoError(t, err)
	require.Equal(t, []string{`piece binary "a" true false`, `piece binary "" false true`}, got)
}

func TestLargePayloadsAreUnmaskedInPlaceWhenNobodyElseHoldsThem(t *testing.T) {
	leakCheck(t)
	payload := strings.Repeat("0123456789", 500)
	whole := frame(0x82, payload)
	for _, stream := range []bool{false, true} {
		for _, shared := range []bool{false, true} {
			in := buffer.FromBytes(whole)
			at := &in.Bytes()[8]
			var other buffer.Slice
			if shared {
				other = in.Slice(0, in.Len())
			}
			d := &Decoder{Stream: stream}
			m, ok, err := d.Decode(in)
			require.NoError(t, err)
			require.True(t, ok)
			p, isPiece := m.(*Piece)
			require.Equal(t, stream, isPiece)
			var got []byte
			if stream {
				got = p.Data.Bytes()
			} else {
				got = m.(*Message).Part(0)
			}
			require.Equal(t, payload, string(got))
			require.Equal(t, !shared, at == &got[0])
			if shared {
				require.Equal(t, whole, other.Bytes())
				other.Release()
			}
			buffer.Release(m)
			in.Release()
		}
	}
}

func TestDecoderReadsEachOctetOnce(t *testing.T) {
	for _, stream := range []bool{false, true} {
		config := Decoder{}
		codectest.VerifyLinear(t, config.factory(stream), frame(0x81, strings.Repeat("κόσμε ", 8<<10)))
	}
}

func TestDecoderStartsWithTheRightTypesAndRefusesWrongSettings(t *testing.T) {
	require.Equal(t, "*websocket.Message", new(Decoder).Emits()[0].String())
	require.Equal(t, "*websocket.Piece", (&Decoder{Stream: true}).Emits()[0].String())
	ch := pipelinetest.New(t, codec.NewDecoder(&Decoder{Deflate: &Deflate{ServerWindowBits: 7}}))
	ch.ExpectError(codec.ErrConfig)
}
