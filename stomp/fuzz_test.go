package stomp

import (
	"encoding/hex"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzDecode reads any octets whole, byte by byte and at random cuts, as frames and as subframes: all must agree.
// What was decoded is encoded, where that is allowed, and must decode to the same again.
func FuzzDecode(f *testing.F) {
	for _, c := range loadCases(f) {
		input, err := hex.DecodeString(c.InputHex)
		require.NoError(f, err)
		f.Add(input, uint8(ParseVersion(c.Version)), int64(1))
		output, err := hex.DecodeString(c.Expect.OutputHex)
		require.NoError(f, err)
		f.Add(output, uint8(ParseVersion(c.Version)), int64(2))
	}
	for i, frame := range fixtures() {
		f.Add(wireOf(f, frame), uint8(Version12)|64, int64(i))
	}
	f.Fuzz(func(t *testing.T, input []byte, mode uint8, seed int64) {
		if len(input) > 1<<11 {
			return
		}
		version := Version(mode % 4)
		limits := Limits{Line: 64, Headers: 8, Head: 256, Body: 512, Chunk: 100}
		if mode&64 != 0 {
			limits = Limits{}
		}
		fresh := func() *Decoder {
			return &Decoder{
				State: &State{Version: version}, Strict: mode&4 != 0, AllowUnknown: mode&8 != 0, Beats: mode&16 != 0,
				Stream: mode&32 != 0, Limits: limits,
			}
		}
		want := decodeAll(t, fresh(), [][]byte{input})
		require.Equal(t, want, decodeAll(t, fresh(), bytewise(input)))
		require.Equal(t, want, decodeAll(t, fresh(), randomly(rand.New(rand.NewSource(seed)), input)))
		whole := fresh()
		whole.Stream = !whole.Stream
		require.Equal(t, want, decodeAll(t, whole, [][]byte{input}))
		for _, p := range want.Frames {
			roundTrip(t, p, version)
		}
	})
}

// FuzzEncode writes any frame, and any delivery; what was not refused must decode to the same frame and nothing else.
func FuzzEncode(f *testing.F) {
	f.Add("SEND", "destination", "/q:\\\r\n", "content-length", "3", "a\x00c", uint8(3))
	f.Add("CONNECT", "login", "a\nadmin:true", "passcode", "p:a\\ss", "", uint8(3))
	f.Add("MESSAGE", "a\r", "b\r", "h\\\r\n:N", "v\\\r\n:V", "body", uint8(2))
	f.Add("RECEIPT", "receipt-id", "77", "", "", "x", uint8(1))
	f.Add("HELLO", "content-length", "0", "content-length", "00", "", uint8(0))
	f.Fuzz(func(t *testing.T, command, name1, value1, name2, value2, body string, version uint8) {
		roundTrip(t, plainFrame{Command(command), Headers{{name1, value1}, {name2, value2}}, body}, Version(version%4))
		head := Delivery{Subscription: command, MessageID: ID{Text: value2, Number: uint64(len(body))}, Ack: ID{Text: name2}, Redelivered: version&4 != 0}
		deliveryRoundTrip(t, &head, Headers{{name1, value1}, {name2, value2}}, body, Version(version%4))
	})
}

// roundTrip encodes p whole and streamed. Whatever is not refused decodes to p, with a content-length if one
// was added.
func roundTrip(t *testing.T, p plainFrame, version Version) {
	t.Helper()
	decode := func(wire string) { requireDecodes(t, wire, p, version) }
	f := NewFrame(p.Command)
	f.Headers = p.Headers
	f.Body.AppendString(p.Body)
	defer f.Release()
	for _, rule := range []LengthRule{LengthAlways, LengthNeeded} {
		wire, err := encodeTo(t, &Encoder{State: &State{Version: version}, Length: rule}, f)
		if err == nil {
			decode(wire)
		}
	}
	e := &Encoder{State: &State{Version: version}}
	h, c := &HeadersSubframe{Command: p.Command, Headers: p.Headers}, NewContent(sliceOf(p.Body), true)
	defer c.Release()
	head, errHead := encodeTo(t, e, h)
	content, errContent := encodeTo(t, e, c)
	if errHead == nil && errContent == nil {
		decode(head + content)
	}
}

// requireDecodes checks that wire is p and nothing else, but for a content-length that was added.
func requireDecodes(t *testing.T, wire string, p plainFrame, version Version) {
	t.Helper()
	d := &Decoder{State: &State{Version: version}, AllowUnknown: true, Limits: Limits{Line: 1 << 20, Head: 1 << 20}}
	g := decodeAll(t, d, [][]byte{[]byte(wire)})
	require.Empty(t, g.Err, "%q", wire)
	require.Len(t, g.Frames, 1, "%q", wire)
	got := g.Frames[0]
	if _, had := p.Headers.Lookup(HeaderContentLength); !had {
		got.Headers.Del(HeaderContentLength)
	}
	require.Equal(t, p, got, "%q", wire)
}

// deliveryRoundTrip encodes a delivery with the fields of head. It must be refused when the frame with the same headers
// is, and else have the same octets, which decode to that frame.
func deliveryRoundTrip(t *testing.T, head *Delivery, headers Headers, body string, version Version) {
	t.Helper()
	b := bodyOf(body)
	defer b.Reset()
	tail, err := NewTail(version, headers, b)
	if err != nil {
		require.NotEmpty(t, reasonOf(err))
		return
	}
	defer tail.Release()
	d := NewDelivery(tail)
	defer d.Release()
	d.Subscription, d.MessageID, d.Ack, d.Redelivered = head.Subscription, head.MessageID, head.Ack, head.Redelivered
	f := frameOf(d)
	defer f.Release()
	e := &Encoder{State: &State{Version: version}}
	want, errFrame := encodeTo(t, e, f)
	got, errDelivery := encodeTo(t, e, d)
	require.Equal(t, errFrame, errDelivery)
	if errFrame == nil {
		require.Equal(t, want, got)
		requireDecodes(t, got, plainFrame{CommandMessage, f.Headers.Clone(), body}, version)
	}
}
