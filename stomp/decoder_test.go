package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// step is what one call of Decode gave, for tests of streaming and heart-beats.
func step(t *testing.T, d *Decoder, in *buffer.Buffer) string {
	t.Helper()
	m, ok, err := d.Decode(in)
	require.NoError(t, err)
	if !ok {
		return "-"
	}
	defer buffer.Release(m)
	switch m := m.(type) {
	case *Frame:
		return "frame " + string(m.Command) + " " + m.Body.String()
	case *HeadersSubframe:
		return "headers " + string(m.Command)
	case *ContentSubframe:
		if m.Last {
			return "last " + string(m.Data.Bytes())
		}
		return "content " + string(m.Data.Bytes())
	case *EOL:
		return "eol"
	}
	require.Failf(t, "unknown message", "%T", m)
	return ""
}

// steps decodes input until nothing more comes.
func steps(t *testing.T, d *Decoder, input string) []string {
	t.Helper()
	in := buffer.FromString(input)
	defer in.Release()
	var got []string
	for {
		s := step(t, d, in)
		if s == "-" {
			return got
		}
		got = append(got, s)
	}
}

func TestDecoderZeroValueDecodesFrames(t *testing.T) {
	require.Equal(t, []string{"frame SEND a", "frame RECEIPT "}, steps(t, new(Decoder), "SEND\n\na\x00\n\nRECEIPT\na:b\n\n\x00"))
}

func TestDecoderStreamsTheBodyAsItComes(t *testing.T) {
	d := &Decoder{Stream: true}
	require.Empty(t, steps(t, d, "SEND\ncontent-length:10"))
	in := buffer.FromString("SEND\ncontent-length:10\n\nabc")
	require.Equal(t, "headers SEND", step(t, d, in))
	require.Equal(t, "content abc", step(t, d, in))
	require.Equal(t, "-", step(t, d, in))
	in.Release()
	require.Equal(t, []string{"content d\x00f"}, steps(t, d, "d\x00f"))
	require.Equal(t, []string{"content ghij"}, steps(t, d, "ghij"))
	require.False(t, d.Between())
	require.Equal(t, []string{"last "}, steps(t, d, "\x00"))
	require.True(t, d.Between())
	require.Equal(t, []string{"headers SEND", "content x"}, steps(t, d, "SEND\n\nx"))
	require.Equal(t, []string{"last y", "headers ACK", "last "}, steps(t, d, "y\x00ACK\n\n\x00"))
}

func TestDecoderStreamsBodiesInBoundedChunks(t *testing.T) {
	for _, head := range []string{"SEND\n\n", "SEND\ncontent-length:12\n\n"} {
		d := &Decoder{Stream: true, Limits: Limits{Chunk: 5}}
		got := steps(t, d, head+"abcdefghijkl\x00")
		require.Equal(t, []string{"headers SEND", "content abcde", "content fghij", "last kl"}, got)
	}
	d := &Decoder{Stream: true, Limits: Limits{Chunk: 4}}
	require.Equal(t, []string{"headers SEND", "content abcd", "last "}, steps(t, d, "SEND\n\nabcd\x00"))
	d = &Decoder{Stream: true, Limits: Limits{Chunk: 4}}
	require.Equal(t, []string{"headers SEND", "last abcd"}, steps(t, d, "SEND\ncontent-length:4\n\nabcd\x00"))
}

func TestDecoderStreamsABodyLargerThanMemoryAllows(t *testing.T) {
	live := buffer.SharedStats().Live
	const size = 8 << 20
	d := &Decoder{Stream: true, Limits: Limits{Body: size}}
	require.Equal(t, []string{"headers SEND"}, steps(t, d, "SEND\ncontent-length:8388608\n\n"))
	chunk := make([]byte, 32<<10)
	n := 0
	for n < size {
		in := buffer.FromBytes(chunk)
		for in.Len() > 0 {
			m, ok, err := d.Decode(in)
			require.NoError(t, err)
			require.True(t, ok)
			n += m.(*ContentSubframe).Data.Len()
			buffer.Release(m)
			require.LessOrEqual(t, buffer.SharedStats().Live, live+1)
		}
		in.Release()
	}
	require.Equal(t, []string{"last "}, steps(t, d, "\x00"))
}

func TestDecoderBeatsAreVisible(t *testing.T) {
	d := &Decoder{Beats: true}
	require.Equal(t, []string{"eol"}, steps(t, d, "\n"))
	require.Equal(t, []string{"eol"}, steps(t, d, "\r\n\n\n"))
	require.Equal(t, []string{"frame ACK ", "eol", "frame ACK "}, steps(t, d, "ACK\n\n\x00\nACK\n\n\x00"))
	require.Equal(t, []string{"frame SEND \n"}, steps(t, d, "SEND\n\n\n\x00"), "an EOL in a body is no beat")
	require.EqualValues(t, 5, d.EOLs())

	quiet := new(Decoder)
	require.Empty(t, steps(t, quiet, "\n\r\n"))
	require.EqualValues(t, 2, quiet.EOLs())
}

func TestDecoderTakesCrLfBetweenFramesUnderEveryVersion(t *testing.T) {
	for v := range VersionUnknown + 4 {
		input := []byte("\r\n\nACK\n\n\x00\r\n\r\n")
		forEachSplit(input, func(how string, chunks [][]byte) {
			g := decodeAll(t, &Decoder{State: &State{Version: v}}, chunks)
			require.Len(t, g.Frames, 1, how)
			require.EqualValues(t, 4, g.EOLs)
		})
		for _, bad := range []string{"\rACK\n\n\x00", "\n\r\rACK", "\r\x00"} {
			forEachSplit([]byte(bad), func(how string, chunks [][]byte) {
				require.Equal(t, ErrBadCR, decodeAll(t, &Decoder{State: &State{Version: v}}, chunks).Err, how)
			})
		}
	}
}

func TestDecoderAcceptsUnknownCommandsOnRequest(t *testing.T) {
	d := &Decoder{AllowUnknown: true, State: &State{Version: Version12}}
	g := decodeAll(t, d, [][]byte{[]byte("HELLO world\r\na:b\\c\n\nbody\x00")})
	require.Equal(t, []plainFrame{{"HELLO world", Headers{{"a", "b:"}}, "body"}}, g.Frames)
	g = decodeAll(t, &Decoder{AllowUnknown: true}, [][]byte{[]byte("HEL\rLO\n\n\x00")})
	require.Equal(t, ErrBadCR, g.Err)
}

func TestDecoderFailsOnceAndDropsTheRest(t *testing.T) {
	d := new(Decoder)
	in := buffer.FromString("ACK\n\n\x00nonsense\n\n\x00ACK\n\n\x00")
	defer in.Release()
	require.Equal(t, "frame ACK ", step(t, d, in))
	_, ok, err := d.Decode(in)
	require.False(t, ok)
	require.ErrorIs(t, err, ErrUnknownCommand)
	require.Zero(t, in.Len())
	require.Empty(t, steps(t, d, "ACK\n\n\x00"))
	d.Reset()
	require.Equal(t, []string{"frame ACK "}, steps(t, d, "ACK\n\n\x00"))
}

func TestDecoderErrorReleasesAnUnfinishedFrame(t *testing.T) {
	live := buffer.SharedStats().Live
	for _, stream := range []bool{false, true} {
		d := &Decoder{Stream: stream, Limits: Limits{Body: 1000}}
		g := decodeAll(t, d, [][]byte{[]byte("SEND\n\n"), make500(), make500(), []byte("x")})
		require.Equal(t, ErrBodyTooLarge, g.Err)
		require.Empty(t, g.Frames)
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func make500() []byte { return []byte(strings.Repeat("x", 500)) }

func TestDecodeEOF(t *testing.T) {
	tests := []struct {
		name, input string
		frames      int
		want        error
	}{
		{"nothing", "", 0, nil},
		{"between frames", "ACK\n\n\x00\n", 1, nil},
		{"last frame in the last read", "ACK\n\n\x00ACK\n\n\x00", 2, nil},
		{"inside the command", "AC", 0, ErrTruncated},
		{"inside a header", "ACK\nid", 0, ErrTruncated},
		{"inside a body", "SEND\n\nabc", 0, ErrTruncated},
		{"inside a declared body", "SEND\ncontent-length:5\n\nabc", 0, ErrTruncated},
		{"in front of the NUL", "SEND\ncontent-length:3\n\nabc", 0, ErrTruncated},
		{"inside a line end", "ACK\n\n\x00\r", 1, ErrTruncated},
		{"behind an error", "nonsense\n", 0, ErrUnknownCommand},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			live := buffer.SharedStats().Live
			d := new(Decoder)
			in := buffer.FromString(tt.input)
			frames := 0
			m, ok, err := d.DecodeEOF(in)
			for ; ok; m, ok, err = d.DecodeEOF(in) {
				frames++
				buffer.Release(m)
			}
			require.Equal(t, tt.frames, frames)
			require.ErrorIs(t, err, tt.want)
			require.Zero(t, in.Len())
			_, ok, err = d.DecodeEOF(in)
			require.False(t, ok)
			require.NoError(t, err, "reported twice")
			in.Release()
			require.Equal(t, live, buffer.SharedStats().Live)
		})
	}
}

func TestDecoderResetDropsAnUnfinishedFrame(t *testing.T) {
	live := buffer.SharedStats().Live
	for _, stream := range []bool{false, true} {
		d := &Decoder{Stream: stream}
		steps(t, d, "SEND\ncontent-length:1000\n\n"+string(make500()))
		d.Reset()
		require.Equal(t, live, buffer.SharedStats().Live)
		require.True(t, d.Between())
		require.Len(t, decodeAll(t, d, [][]byte{[]byte("ACK\n\n\x00")}).Frames, 1)
	}
}
