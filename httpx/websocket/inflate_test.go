package websocket

import (
	"bytes"
	"compress/flate"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
)

// deflated is what p becomes, sync marker taken off, by the standard library.
func deflated(t testing.TB, p string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, 9)
	require.NoError(t, err)
	_, err = w.Write([]byte(p))
	require.NoError(t, err)
	require.NoError(t, w.Flush())
	return strings.TrimSuffix(out.String(), "\x00\x00\xff\xff")
}

func takeover() *Deflate { return &Deflate{ServerTakeover: true, ClientTakeover: true, MinBytes: 1} }

// The samples of RFC 7692, 7.2.3.
func TestInflateSamples(t *testing.T) {
	hello := "\xf2\x48\xcd\xc9\xc9\x07\x00"
	for name, tt := range map[string]struct{ payload, want string }{
		"one block":                  {hello, "Hello"},
		"stored":                     {"\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00", "Hello"},
		"last block":                 {"\xf3\x48\xcd\xc9\xc9\x07\x00\x00", "Hello"},
		"last block without padding": {"\xf3\x48\xcd\xc9\xc9\x07\x00", "Hello"},
		"two blocks":                 {"\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00", "Hello"},
		"empty":                      {"\x00", ""},
		"no octet at all":            {"", ""},
		"two last blocks":            {"\xf3\x48\xcd\xc9\xc9\x07\x00" + "\xf3\x48\xcd\xc9\xc9\x07\x00" + "\x00", "HelloHello"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, deflate := range []*Deflate{{}, takeover()} {
				verify(t, Decoder{Deflate: deflate}, frame(0xc1, tt.payload), textOf(tt.want))
			}
		})
	}
}

func TestMessagesReferToEarlierOnesWithTakeover(t *testing.T) {
	second := "\xf2\x00\x11\x00\x00" // RFC 7692, 7.2.3.2
	input := append(frame(0xc1, "\xf2\x48\xcd\xc9\xc9\x07\x00"), frame(0x81, "between, not compressed")...)
	input = append(input, frame(0xc1, second)...)
	want := []any{textOf("Hello"), textOf("between, not compressed")}
	verify(t, Decoder{Deflate: takeover()}, input, append(want, textOf("Hello"))...)
	verifyError(t, Decoder{Deflate: &Deflate{}}, input, CodeInvalidPayload, want...)
	verifyError(t, Decoder{Deflate: &Deflate{ServerTakeover: true}}, input, CodeInvalidPayload, want...)
}

func TestAMessageBehindALastBlockRefersToWhatCameBefore(t *testing.T) {
	input := append(frame(0xc1, "\xf3\x48\xcd\xc9\xc9\x07\x00\x00"), frame(0xc1, "\xf2\x00\x11\x00\x00")...)
	verify(t, Decoder{Deflate: takeover()}, input, textOf("Hello"), textOf("Hello"))
	inside := "\xf3\x48\xcd\xc9\xc9\x07\x00" + "\xf2\x00\x11\x00\x00" // refers over a last block within one message
	verify(t, Decoder{Deflate: &Deflate{}}, frame(0xc1, inside), textOf("HelloHello"))
}

func TestBadCompressedDataIsRefused(t *testing.T) {
	for name, payload := range map[string]string{
		"reserved block type": "\x07",
		"stored, bad length":  "\x00\x05\x00\xfa\x00Hello\x00",
		"refers to nothing":   "\xf2\x00\x11\x00\x00",
		"cut short":           "\xf2\x48\xcd",
		"too many last ones":  strings.Repeat("\xf3\x48\xcd\xc9\xc9\x07\x00", 40),
	} {
		t.Run(name, func(t *testing.T) {
			verifyError(t, Decoder{Deflate: &Deflate{}}, frame(0xc2, payload), CodeInvalidPayload)
		})
	}
}

func TestInflatedTextIsUTF8(t *testing.T) {
	d := Decoder{Deflate: &Deflate{}}
	verifyError(t, d, frame(0xc1, deflated(t, "abc\xff")), CodeInvalidPayload)
	verifyError(t, d, frame(0xc1, deflated(t, "abc\xe2\x82")), CodeInvalidPayload)
	verify(t, d, frame(0xc2, deflated(t, "abc\xff")), binaryOf("abc\xff"))
	verify(t, d, frame(0xc1, deflated(t, "κόσμε")), textOf("κόσμε"))
}

func TestInflatingStopsAtTheLimits(t *testing.T) {
	zeros := deflated(t, strings.Repeat("\x00", 1<<20))
	for name, tt := range map[string]struct {
		config Decoder
		good   bool
	}{
		"ratio":        {Decoder{Deflate: &Deflate{}}, false},
		"ratio raised": {Decoder{Deflate: &Deflate{Cap: codec.Cap{MaxRatio: 2000}}}, true},
		"message":      {Decoder{Deflate: &Deflate{Cap: codec.Cap{MaxRatio: 2000}}, Limits: Limits{Message: 1<<20 - 1}}, false},
		"cap":          {Decoder{Deflate: &Deflate{Cap: codec.Cap{MaxRatio: 2000, MaxBytes: 1<<20 - 1}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decodeAll(t, tt.config.factory(false)().(*Decoder), frame(0xc2, zeros))
			if tt.good {
				require.NoError(t, err)
				require.Len(t, got, 1)
				return
			}
			require.ErrorIs(t, err, codeError(CodeTooBig))
			require.ErrorIs(t, err, codec.ErrInflatedTooMuch)
		})
	}
	small := strings.Repeat("\x00", freeOfRatio)
	got, err := decodeAll(t, &Decoder{Deflate: &Deflate{}}, frame(0xc2, deflated(t, small)))
	require.NoError(t, err)
	require.Equal(t, []string{show(binaryOf(small))}, got)
}

func TestInflatedMessagesAreEmittedInPieces(t *testing.T) {
	payload := strings.Repeat("0123456789abcdef", 10_000)
	d := &Decoder{Stream: true, Deflate: &Deflate{Cap: codec.Cap{MaxRatio: 1000}}}
	got, err := decodeAll(t, d, frame(0xc2, deflated(t, payload)))
	require.NoError(t, err)
	require.Greater(t, len(got), 2)
	require.False(t, d.Backlog())
}

func TestOnlyWhatThePeerMayReferToIsKept(t *testing.T) {
	payload := strings.Repeat("abcdefgh", 1000)
	for bits := 8; bits <= 15; bits++ {
		deflate := takeover()
		deflate.ClientWindowBits = bits
		d := &Decoder{Deflate: deflate}
		_, err := decodeAll(t, d, append(frame(0xc2, deflated(t, "12345")), frame(0xc2, deflated(t, payload))...))
		require.NoError(t, err)
		want := "12345" + payload
		require.Equal(t, want[max(0, len(want)-1<<bits):], string(d.window))
		d.Reset()
		require.Empty(t, d.window)
	}
	d := &Decoder{Deflate: &Deflate{}}
	_, err := decodeAll(t, d, frame(0xc2, deflated(t, payload)))
	require.NoError(t, err)
	require.Empty(t, d.window, "nothing is kept without takeover")
}

func TestSlideKeepsTheEnd(t *testing.T) {
	for _, tt := range []struct {
		window, msg, want string
	}{
		{"", "", ""}, {"", "ab", "ab"}, {"ab", "", "ab"}, {"abcd", "e", "bcde"}, {"abcd", "efghij", "ghij"}, {"ab", "cd", "abcd"}, {"abc", "defg", "defg"},
	} {
		m := NewText(tt.msg[:min(1, len(tt.msg))])
		m.AppendString(tt.msg[m.Len():])
		require.Equal(t, tt.want, string(slide([]byte(tt.window), m, 4)))
		m.Release()
	}
}
