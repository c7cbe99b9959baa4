package stomp

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestParseLength(t *testing.T) {
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"007", 7, true},
		{"1234567890", 1234567890, true},
		{"", 0, false},
		{"+5", 0, false},
		{"-1", 0, false},
		{" 5", 0, false},
		{"5 ", 0, false},
		{"5\r", 0, false},
		{"0x10", 0, false},
		{"1e3", 0, false},
		{"\u0665", 0, false},
	}
	for _, tt := range tests {
		n, ok := parseLength(tt.text)
		require.Equal(t, tt.ok, ok, "%q", tt.text)
		if tt.ok {
			require.Equal(t, tt.want, n)
		}
	}
	for _, huge := range []string{"9223372036854775807", "9223372036854775808", strings.Repeat("9", 4000)} {
		n, ok := parseLength(huge)
		require.True(t, ok)
		require.Greater(t, n, int64(math.MaxInt64/2), "an overflow made a length small")
	}
}

func TestDecoderReferencesABodyThatIsInOneBuffer(t *testing.T) {
	for _, head := range []string{"SEND\n\n", "SEND\ncontent-length:5000\n\n"} {
		in := buffer.FromString(head + strings.Repeat("x", 5000) + "\x00ACK\n\n\x00")
		first := &in.Bytes()[len(head)]
		m, ok, err := new(Decoder).Decode(in)
		require.NoError(t, err)
		require.True(t, ok)
		f := m.(*Frame)
		require.Equal(t, 1, f.Body.Parts())
		require.Same(t, first, &f.Body.Bytes()[0], "the body was copied")
		require.Equal(t, "ACK\n\n\x00", string(in.Bytes()))
		in.Release()
		require.Equal(t, strings.Repeat("x", 5000), f.Body.String())
		f.Release()
	}
}

func TestDecoderConsumesABodyAsItComes(t *testing.T) {
	live := buffer.SharedStats().Live
	for _, head := range []string{"SEND\n\n", "SEND\ncontent-length:4194304\n\n"} {
		d := new(Decoder)
		require.Empty(t, steps(t, d, head))
		chunk := make([]byte, 10_000)
		for i := range chunk {
			chunk[i] = byte('a' + i%26)
		}
		left := DefaultBody
		for left > 0 {
			in := buffer.FromBytes(chunk[:min(left, len(chunk))])
			left -= in.Len()
			_, ok, err := d.Decode(in)
			require.NoError(t, err)
			require.False(t, ok)
			require.Zero(t, in.Len(), "octets were left to the driver")
			in.Release()
		}
		in := buffer.FromString("\x00")
		m, ok, err := d.Decode(in)
		in.Release()
		require.NoError(t, err)
		require.True(t, ok)
		f := m.(*Frame)
		require.Equal(t, DefaultBody, f.Body.Len())
		require.Equal(t, byte('a'+(DefaultBody-1)%10_000%26), f.Body.Bytes()[DefaultBody-1])
		require.LessOrEqual(t, held(&f.Body), 2*DefaultBody+(64<<10))
		f.Release()
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestDecoderTakesNoMemoryForAnAnnouncedBody(t *testing.T) {
	live := buffer.SharedStats().Live
	d := new(Decoder)
	steps(t, d, "SEND\ncontent-length:4000000\n\nabc")
	require.Equal(t, live+1, buffer.SharedStats().Live)
	require.LessOrEqual(t, d.body.tail.Cap(), 1024)
	d.Reset()
}

func TestDecoderRefusesABodyOneOctetTooLarge(t *testing.T) {
	limits := Limits{Body: 10}
	for input, want := range map[string]Reason{
		"SEND\n\n0123456789\x00":                      "",
		"SEND\n\n01234567890":                         ErrBodyTooLarge,
		"SEND\ncontent-length:10\n\n0123456789\x00":   "",
		"SEND\ncontent-length:11\n":                   ErrBodyTooLarge,
		"SEND\ncontent-length:99999999999999999999\n": ErrBodyTooLarge,
		"SEND\ncontent-length:\n":                     ErrBadContentLength,
		"SEND\ncontent-length:1 \n":                   ErrBadContentLength,
		"SEND\ncontent-length:2\n\nabc":               ErrMissingNul,
	} {
		for _, stream := range []bool{false, true} {
			forEachSplit([]byte(input), func(how string, chunks [][]byte) {
				g := decodeAll(t, &Decoder{Limits: limits, Stream: stream}, chunks)
				require.Equal(t, want, g.Err, "%q %s", input, how)
			})
		}
	}
}

func TestDecoderStrictRefusesBodiesByVersion(t *testing.T) {
	for v, refuses := range map[Version]bool{VersionUnknown: false, Version10: false, Version11: true, Version12: true} {
		for _, input := range []string{"ACK\ncontent-length:1\n\nx\x00", "ACK\n\nx\x00"} {
			forEachSplit([]byte(input), func(how string, chunks [][]byte) {
				g := decodeAll(t, &Decoder{Strict: true, State: &State{Version: v}}, chunks)
				require.Equal(t, refuses, g.Err == ErrBodyNotAllowed, "%v %q %s", v, input, how)
			})
		}
		g := decodeAll(t, &Decoder{Strict: true, State: &State{Version: v}}, [][]byte{[]byte("ACK\ncontent-length:0\n\n\x00ACK\n\n\x00")})
		require.Len(t, g.Frames, 2)
	}
}
