package stomp

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecoderAnswersAlikeHoweverTheInputIsCut(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	alphabet := []string{"a", "b", ":", "\\", "c", "n", "r", "\r", "\n", "\n", "\r\n", "\x00", "\xc3", "\ncontent-length:3\n", "\n\nabc", "\ncontent-length:a\n"}
	commands := []string{"SEND\n", "SEND\r\n", "CONNECT\n", "ACK\n", "SEND\na:1\ncontent-length:3\n\n", ""}
	reasons := map[Reason]int{}
	for range 6000 {
		input := commands[rng.Intn(len(commands))]
		for range rng.Intn(25) {
			input += alphabet[rng.Intn(len(alphabet))]
		}
		limits := Limits{Line: 6 + rng.Intn(40), Head: 16 + rng.Intn(80), Headers: 1 + rng.Intn(3), Body: 1 + int64(rng.Intn(6))}
		version, strict, stream := Version(rng.Intn(4)), rng.Intn(2) == 0, rng.Intn(2) == 0
		fresh := func() *Decoder {
			return &Decoder{State: &State{Version: version}, Limits: limits, Strict: strict, Stream: stream}
		}
		want := decodeAll(t, fresh(), [][]byte{[]byte(input)})
		reasons[want.Err]++
		require.Equal(t, want, decodeAll(t, fresh(), bytewise([]byte(input))), "%q %+v %v", input, limits, version)
		require.Equal(t, want, decodeAll(t, fresh(), randomly(rng, []byte(input))), "%q %+v %v", input, limits, version)
	}
	for _, r := range []Reason{
		"", ErrBadHeader, ErrBadEscape, ErrBadCR, ErrColonInValue, ErrBadContentLength, ErrMissingNul, ErrBodyTooLarge,
		ErrLineTooLong, ErrTooManyHeaders, ErrHeadTooLarge, ErrBodyNotAllowed, ErrUnknownCommand,
	} {
		require.NotZero(t, reasons[r], "no input was refused as %q", r)
	}
}

func TestDecoderRejectsNulInHeader(t *testing.T) {
	// The examples of the specification forget the empty line behind DISCONNECT; a NUL there is an error at once,
	// not a frame that never ends.
	for _, input := range []string{"DISCONNECT\n\x00", "DISCONNECT\x00", "SEND\na:b\x00c\n\n\x00", "SEND\na\x00:b"} {
		forEachSplit([]byte(input), func(how string, chunks [][]byte) {
			require.Equal(t, ErrBadHeader, decodeAll(t, &Decoder{State: &State{Version: Version12}}, chunks).Err, how)
		})
	}
}

func TestDecoderReadsHandshakesWithEitherLineEnd(t *testing.T) {
	for v := range VersionUnknown + 4 {
		for _, c := range []Command{CommandConnect, CommandStomp, CommandConnected} {
			input := fmt.Sprintf("%s\r\nhost:a:b\\c\\x\r\nlogin:x\n\r\n\x00", c)
			forEachSplit([]byte(input), func(how string, chunks [][]byte) {
				g := decodeAll(t, &Decoder{State: &State{Version: v}, Strict: true}, chunks)
				require.Equal(t, []plainFrame{{c, Headers{{"host", `a:b\c\x`}, {"login", "x"}}, ""}}, g.Frames, how)
			})
			input = fmt.Sprintf("%s\nlogin:x\ry\n\n\x00", c)
			require.Equal(t, ErrBadCR, decodeAll(t, &Decoder{State: &State{Version: v}}, [][]byte{[]byte(input)}).Err)
		}
	}
}

func TestDecoderReadsLineEndsByVersion(t *testing.T) {
	input := []byte("SEND\r\na:b\r\n\r\n\x00")
	for v, want := range map[Version]Reason{VersionUnknown: "", Version10: ErrBadCR, Version11: ErrBadCR, Version12: ""} {
		require.Equal(t, want, decodeAll(t, &Decoder{State: &State{Version: v}}, [][]byte{input}).Err, v)
	}
	input = []byte("SEND\na:b\r\n\n\x00")
	for v, want := range map[Version]string{VersionUnknown: "b", Version10: "b\r", Version11: "b\r", Version12: "b"} {
		g := decodeAll(t, &Decoder{State: &State{Version: v}}, [][]byte{input})
		require.Equal(t, want, g.Frames[0].Headers.Get("a"), v)
	}
}

func TestDecoderLimitsOfTheHead(t *testing.T) {
	line := strings.Repeat("x", DefaultLine-2)
	lines := func(n int) string { return "SEND\n" + strings.Repeat("a:b\n", n) + "\n\x00" }
	exact := "SEND\n" + strings.Repeat("k:"+line+"\n", 7) // 5 + 7 * 4097 octets
	exact += "k:" + strings.Repeat("x", DefaultHead-len(exact)-len("k:\n\n")) + "\n\n\x00"
	tests := []struct {
		name, input string
		want        Reason
	}{
		{"line of 4096", "SEND\nk:" + line + "\n\n\x00", ""},
		{"line of 4096 and CR LF", "SEND\r\nk:" + line + "\r\n\n\x00", ""},
		{"line of 4097", "SEND\nk:" + line + "x\n\n\x00", ErrLineTooLong},
		{"line of 4097, not ended", "SEND\nk:" + line + "x", ErrLineTooLong},
		{"line of 4096 and a CR that ends nothing", "SEND\nk:" + line + "\rx", ErrLineTooLong},
		{"command too long", strings.Repeat("S", DefaultLine+1), ErrLineTooLong},
		{"100 headers", lines(100), ""},
		{"101 headers", lines(101), ErrTooManyHeaders},
		{"head of 32 KiB", exact, ""},
		{"head of 32 KiB and 1", strings.Replace(exact, "k", "kk", 1), ErrLineTooLong},
		{"head of 32 KiB and 1 in the last line", strings.TrimSuffix(exact, "\n\n\x00") + "x\n\n\x00", ErrHeadTooLarge},
		{"head of 32 KiB and 1, not ended", strings.TrimSuffix(exact, "\n\n\x00") + "xxx", ErrHeadTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(5))
			for _, chunks := range [][][]byte{{[]byte(tt.input)}, bytewise([]byte(tt.input)), randomly(rng, []byte(tt.input))} {
				g := decodeAll(t, &Decoder{State: &State{Version: Version12}}, chunks)
				require.Equal(t, tt.want, g.Err)
				require.Equal(t, tt.want == "", len(g.Frames) == 1)
			}
		})
	}
}

func TestDecoderTakesManyHeaders(t *testing.T) {
	d := &Decoder{State: &State{Version: Version12}}
	for n := range 60 {
		var input strings.Builder
		input.WriteString("SEND\n")
		want := Headers{}
		for i := range n {
			fmt.Fprintf(&input, "name%d:a\\c%d\n", i, i)
			want.Add(fmt.Sprintf("name%d", i), fmt.Sprintf("a:%d", i))
		}
		input.WriteString("\n\x00")
		g := decodeAll(t, d, [][]byte{[]byte(input.String())})
		require.Equal(t, want, g.Frames[0].Headers)
	}
}
