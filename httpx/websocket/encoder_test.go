package websocket

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestServersSendPlainFrames(t *testing.T) {
	leakCheck(t)
	for _, tt := range []struct {
		msg  any
		want string
	}{
		{NewText("Hello"), "\x81\x05Hello"},
		{NewBinary(nil), "\x82\x00"},
		{NewBinary(bytes.Repeat([]byte("x"), 200)), "\x82\x7e\x00\xc8" + strings.Repeat("x", 200)},
		{NewBinary(bytes.Repeat([]byte("x"), 70_000)), "\x82\x7f\x00\x00\x00\x00\x00\x01\x11\x70" + strings.Repeat("x", 70_000)},
		{&Ping{Data: []byte("abc")}, "\x89\x03abc"},
		{&Pong{}, "\x8a\x00"},
		{newPong([]byte("abc")), "\x8a\x03abc"},
	} {
		require.Equal(t, tt.want, string(wireOf(t, new(Encoder), tt.msg)))
	}
}

func TestClientsMaskEachFrameWithItsOwnKey(t *testing.T) {
	leakCheck(t)
	e := &Encoder{Client: true}
	first, second := wireOf(t, e, NewText("Hello")), wireOf(t, e, NewText("Hello"))
	require.Equal(t, []byte{0x81, 0x85}, first[:2])
	require.NotEqual(t, first[2:6], second[2:6])
	got, err := decodeAll(t, new(Decoder), append(first, second...))
	require.NoError(t, err)
	require.Equal(t, []string{`text "Hello"`, `text "Hello"`}, got)
}

func TestEncodersRefuseWhatBreaksTheStreamAndWriteNothing(t *testing.T) {
	leakCheck(t)
	long := bytes.Repeat([]byte("x"), 126)
	for name, tt := range map[string]struct {
		before, msg any
		want        error
	}{
		"no type":                   {nil, &Message{}, ErrType},
		"piece of no type":          {nil, NewPiece(0, nil, true, true), ErrType},
		"long ping":                 {nil, &Ping{Data: long}, ErrControl},
		"long pong":                 {nil, &Pong{Data: long}, ErrControl},
		"text that is none":         {nil, NewText("\xff"), ErrText},
		"text that ends too early":  {nil, NewText("\xe2\x82"), ErrText},
		"piece that continues none": {nil, NewPiece(TypeText, nil, false, true), ErrOrder},
		"message inside another":    {NewPiece(TypeText, nil, true, false), NewText("x"), ErrOrder},
		"second first piece":        {NewPiece(TypeText, nil, true, false), NewPiece(TypeText, nil, true, true), ErrOrder},
		"piece of bad text":         {NewPiece(TypeText, buffer.FromString("\xe2\x82"), true, false), NewPiece(TypeText, buffer.FromString("x"), false, false), ErrText},
		"last piece inside a rune":  {NewPiece(TypeText, buffer.FromString("\xe2\x82"), true, false), NewPiece(TypeText, nil, false, true), ErrText},
	} {
		t.Run(name, func(t *testing.T) {
			e := new(Encoder)
			if tt.before != nil {
				wireOf(t, e, tt.before)
			}
			_, err := encode(e, tt.msg)
			require.ErrorIs(t, err, tt.want)
			require.EqualError(t, err, tt.want.Error(), "nothing is written")
			buffer.Release(tt.msg)
		})
	}
	_, err := encode(new(Encoder), "a string")
	require.EqualError(t, err, "websocket: cannot encode string")
}

func TestTrustedTextIsNotLookedAt(t *testing.T) {
	require.Equal(t, "\x81\x01\xff", string(wireOf(t, &Encoder{TrustText: true}, NewText("\xff"))))
}

func TestPiecesBecomeFragmentsWithControlFramesBetweenThem(t *testing.T) {
	leakCheck(t)
	wire := wireOf(t, new(Encoder),
		NewPiece(TypeText, buffer.FromString("a\xe2"), true, false), newPing([]byte("p")),
		NewPiece(TypeText, buffer.FromString("\x82\xac"), false, false), NewPiece(TypeText, nil, false, true),
		NewText("next"), NewPiece(TypeBinary, buffer.FromString("whole"), true, true))
	require.Equal(t, "\x01\x02a\xe2"+"\x89\x01p"+"\x00\x02\x82\xac"+"\x80\x00"+"\x81\x04next"+"\x82\x05whole", string(wire))
}

func TestLongMessagesGoOutInFragments(t *testing.T) {
	leakCheck(t)
	m := NewText("0123")
	m.AppendString("456789")
	require.Equal(t, "\x01\x04"+"0123"+"\x00\x04"+"4567"+"\x80\x02"+"89", string(wireOf(t, &Encoder{MaxFrame: 4}, m)))
	big := NewBinary(make([]byte, 3<<20))
	got, err := decodeAll(t, new(Decoder), wireOf(t, &Encoder{Client: true}, big))
	require.NoError(t, err, "what the encoder sends by default the decoder takes by default")
	require.Len(t, got, 1)
}

func TestServersSendLargePayloadsByReference(t *testing.T) {
	leakCheck(t)
	payload := buffer.FromBytes(make([]byte, 5000))
	rope := buffer.NewComposite()
	rope.AppendSlice(payload.Slice(0, 1000))
	rope.AppendSlice(payload.Slice(1000, 4000))
	for _, m := range []*Message{NewMessage(TypeBinary), NewMessage(TypeBinary)} {
		if rope != nil {
			m.AppendComposite(rope)
			rope = nil
		} else {
			m.AppendBuffer(payload)
		}
		at := &m.Part(0)[0]
		var out buffer.Writer
		out.Reset(nil, 0)
		require.NoError(t, new(Encoder).Encode(&out, m))
		wire := out.Take().(*buffer.Composite)
		require.Same(t, at, &wire.Part(1)[0])
		wire.Release()
		m.Release()
	}
}

func TestWhatIsEncodedIsDecodedAgain(t *testing.T) {
	leakCheck(t)
	rapid.Check(t, func(rt *rapid.T) {
		client := rapid.Bool().Draw(rt, "client")
		e := &Encoder{Client: client, MaxFrame: rapid.SampledFrom([]int{0, 1, 7, 1000}).Draw(rt, "frame")}
		if rapid.Bool().Draw(rt, "deflate") {
			e.Deflate = &Deflate{
				ServerTakeover: rapid.Bool().Draw(rt, "st"), ClientTakeover: rapid.Bool().Draw(rt, "ct"),
				ServerWindowBits: rapid.IntRange(8, 15).Draw(rt, "sb"), ClientWindowBits: rapid.IntRange(8, 15).Draw(rt, "cb"), MinBytes: 1,
			}
		}
		d := &Decoder{Client: !client, Deflate: e.Deflate, Limits: Limits{Fragments: 10_000}}
		var wire []byte
		var want []string
		for range rapid.IntRange(1, 5).Draw(rt, "messages") {
			m := NewMessage(rapid.SampledFrom([]Type{TypeText, TypeBinary}).Draw(rt, "type"))
			for range rapid.IntRange(0, 3).Draw(rt, "parts") {
				unit := rapid.StringN(0, 20, -1).Draw(rt, "unit")
				m.AppendString(strings.Repeat(unit, rapid.SampledFrom([]int{1, 3, 40}).Draw(rt, "times")))
			}
			want = append(want, show(m))
			wire = append(wire, wireOf(t, e, m)...)
		}
		got, err := decodeAll(t, d, wire)
		require.NoError(rt, err)
		require.Equal(rt, want, got)
		e.Reset()
		d.Reset()
	})
}

func TestEncoderRefusesWrongSettingsAndTellsItsTypes(t *testing.T) {
	e := new(Encoder)
	for _, msg := range []any{&Message{}, &Prepared{}, &Piece{}, &Ping{}, &Pong{}, &Close{}} {
		require.True(t, e.Accepts(msg))
	}
	require.False(t, e.Accepts(buffer.Wrap(nil)))
	require.Len(t, e.Takes(), 6)
	ch := pipelinetest.New(t, codec.NewEncoder(&Encoder{Deflate: &Deflate{ClientWindowBits: 16}}))
	ch.ExpectError(codec.ErrConfig)
}
