package websocket

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func prepare(t testing.TB, m *Message) *Prepared {
	t.Helper()
	p, err := Prepare(m)
	require.NoError(t, err)
	return p
}

func TestPreparedIsEncodedOnceAndSentByReference(t *testing.T) {
	leakCheck(t)
	p := prepare(t, NewText(strings.Repeat("0123456789", 100)))
	require.Equal(t, 1000, p.Len())
	require.Equal(t, "prepared text message of 1000 B", p.String())
	want := wireOf(t, new(Encoder), NewText(strings.Repeat("0123456789", 100)))
	var at *byte
	for i := range 3 {
		var out buffer.Writer
		out.Reset(nil, 0)
		require.NoError(t, new(Encoder).Encode(&out, p))
		wire := out.Take().(*buffer.Buffer)
		require.Equal(t, want, wire.Bytes())
		if i == 0 {
			at = &wire.Bytes()[0]
		}
		require.Same(t, at, &wire.Bytes()[0])
		wire.Release()
	}
	p.Release()
	require.PanicsWithValue(t, "websocket: prepared message released twice", p.Release)
}

func TestPreparedIsCompressedOnceForThoseWhoAgreed(t *testing.T) {
	leakCheck(t)
	text := strings.Repeat("0123456789", 100)
	p := prepare(t, NewText(text))
	for _, deflate := range []*Deflate{nil, {}, takeover(), {ServerWindowBits: 9}, {MinBytes: 5000}} {
		e := &Encoder{Deflate: deflate}
		wire, err := encode(e, p)
		require.NoError(t, err)
		require.Equal(t, deflate != nil && deflate.MinBytes < 5000, wire[0]&bitRSV1 != 0)
		got, err := decodeAll(t, &Decoder{Client: true, Deflate: deflate}, wire)
		require.NoError(t, err)
		require.Equal(t, []string{show(textOf(text))}, got)
		e.Reset()
	}
	require.NotNil(t, p.plain)
	require.NotNil(t, p.packed)
	p.Release()
}

func TestPreparedThatGainsNothingIsSentAsItIs(t *testing.T) {
	leakCheck(t)
	p := prepare(t, NewText("0123456789"))
	e := &Encoder{Deflate: &Deflate{MinBytes: 1}}
	for range 2 {
		wire, err := encode(e, p)
		require.NoError(t, err)
		require.Equal(t, "\x81\x0a0123456789", string(wire))
	}
	require.Nil(t, p.packed)
	p.Release()
}

// A peer with context takeover inflates what comes behind a prepared message, also when it repeats what came before.
func TestAPeerWithTakeoverReadsWhatFollowsAPreparedMessage(t *testing.T) {
	leakCheck(t)
	words := "the quick brown fox jumps over the lazy dog; "
	p := prepare(t, NewText(strings.Repeat("prepared, that is to say encoded once; ", 20)))
	e, d := &Encoder{Deflate: takeover()}, &Decoder{Client: true, Deflate: takeover()}
	var wire []byte
	var want []string
	for i := range 20 {
		m := NewText(strings.Repeat(words, i+1))
		want = append(want, show(m))
		wire = append(wire, wireOf(t, e, m)...)
		p.Retain()
		wire = append(wire, wireOf(t, e, p)...)
		want = append(want, show(p.msg))
		m = NewText(words + "prepared, that is to say encoded once; ")
		want = append(want, show(m))
		wire = append(wire, wireOf(t, e, m)...)
	}
	got, err := decodeAll(t, d, wire)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Less(t, len(wire), 20*200)
	e.Reset()
	p.Release()
}

func TestPreparedIsAnOrdinaryMessageForClientsAndInSmallFrames(t *testing.T) {
	leakCheck(t)
	p := prepare(t, NewText("Hello"))
	wire, err := encode(&Encoder{Client: true}, p)
	require.NoError(t, err)
	got, err := decodeAll(t, new(Decoder), wire)
	require.NoError(t, err)
	require.Equal(t, []string{`text "Hello"`}, got)
	wire, err = encode(&Encoder{MaxFrame: 3}, p)
	require.NoError(t, err)
	require.Equal(t, "\x01\x03Hel\x80\x02lo", string(wire))
	e := new(Encoder)
	wireOf(t, e, NewPiece(TypeText, nil, true, false))
	_, err = encode(e, p)
	require.ErrorIs(t, err, ErrOrder)
	p.Release()
}

func TestLargePreparedMessagesLieInOnePiece(t *testing.T) {
	leakCheck(t)
	m := NewBinary(make([]byte, 700))
	m.AppendBytes(make([]byte, 700))
	p := prepare(t, m)
	wire, err := encode(new(Encoder), p)
	require.NoError(t, err)
	require.Len(t, wire, 4+1400)
	p.Release()
}

func TestWhatCannotBeSentIsNotPrepared(t *testing.T) {
	leakCheck(t)
	_, err := Prepare(NewText("\xff"))
	require.ErrorIs(t, err, ErrText)
	_, err = Prepare(NewMessage(7))
	require.ErrorIs(t, err, ErrType)
}

func TestManyGoroutinesEncodeOnePreparedMessage(t *testing.T) {
	leakCheck(t)
	text := strings.Repeat("0123456789", 100)
	p := prepare(t, NewText(text))
	var wg sync.WaitGroup
	for i := range 8 {
		deflate := &Deflate{}
		if i%2 == 0 {
			deflate = nil
		}
		p.Retain()
		wg.Go(func() {
			wire, err := encode(&Encoder{Deflate: deflate}, p)
			p.Release()
			if err != nil || deflate == nil && len(wire) != len(text)+4 || deflate != nil && len(wire) > 100 {
				t.Errorf("%d octets, %v", len(wire), err)
			}
		})
	}
	wg.Wait()
	p.Release()
}
