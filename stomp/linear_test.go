package stomp

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// The decoder counts the octets that it looks at. A time would say as much about the machine as about the code.

func TestDecoderWorkIsLinearHoweverTheInputIsCut(t *testing.T) {
	inputs := map[string]func(n int) string{
		"header lines":    func(n int) string { return "SEND\n" + strings.Repeat("a:b\n", n/4) + "\n\x00" },
		"one long line":   func(n int) string { return "SEND\na:" + strings.Repeat("x", n) + "\n\n\x00" },
		"escapes":         func(n int) string { return "SEND\na:" + strings.Repeat("\\c", n/2) + "\n\n\x00" },
		"line ends":       func(n int) string { return strings.Repeat("\n\r\n", n/3) },
		"undeclared body": func(n int) string { return "SEND\n\n" + strings.Repeat("x", n) + "\x00" },
		"declared body": func(n int) string {
			return fmt.Sprintf("SEND\ncontent-length:%d\n\n%s\x00", n, strings.Repeat("x", n))
		},
		"small frames": func(n int) string { return strings.Repeat("ACK\nid:1\n\n\x00", n/11) },
	}
	limits := Limits{Line: 1 << 20, Headers: 1 << 20, Head: 1 << 20}
	for name, input := range inputs {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{400, 4000, 40000} {
				text := []byte(input(n))
				for how, chunks := range map[string][][]byte{"whole": {text}, "byte by byte": bytewise(text)} {
					d := &Decoder{State: &State{Version: Version12}, Limits: limits}
					g := decodeAll(t, d, chunks)
					require.Empty(t, g.Err)
					require.LessOrEqual(t, float64(d.work)/float64(len(text)), 3.0, "%s, %d octets", how, len(text))
				}
			}
		})
	}
}

func TestDecoderLeavesNothingToCopyOfABody(t *testing.T) {
	d := new(Decoder)
	in := buffer.FromString("SEND\n\n")
	_, _, err := d.Decode(in)
	require.NoError(t, err)
	for range 5000 {
		in.AppendByte('x')
		_, _, err := d.Decode(in)
		require.NoError(t, err)
		require.Zero(t, in.Len())
	}
	in.Release()
	d.Reset()
}

// CVE-2026-44891 was a STOMP frame whose headers never end.
func TestEndlessHeadersFailBefore64KiB(t *testing.T) {
	for name, line := range map[string]string{
		"short lines": "a:b\n",
		"long lines":  "a:" + strings.Repeat("x", 4000) + "\n",
		"no line end": "a:bcd",
	} {
		for _, limits := range []Limits{{}, {Headers: 1 << 30}, {Headers: 1 << 30, Line: 1 << 30}} {
			t.Run(fmt.Sprintf("%s %v", name, limits), func(t *testing.T) {
				live := buffer.SharedStats().Live
				d := &Decoder{State: &State{Version: Version12}, Limits: limits}
				in := buffer.FromString("SEND\n")
				var err error
				most := 0
				chunk := bytes.Repeat([]byte(line), 1+1000/len(line))
				for sent := 0; sent < 1<<30 && err == nil; sent += len(chunk) {
					in.Append(chunk)
					most = max(most, in.Len())
					_, _, err = d.Decode(in)
				}
				require.Error(t, err)
				require.Contains(t, []Reason{ErrTooManyHeaders, ErrLineTooLong, ErrHeadTooLarge}, reasonOf(err))
				require.Less(t, most, 64<<10)
				in.Release()
				require.Equal(t, live, buffer.SharedStats().Live)
			})
		}
	}
}
