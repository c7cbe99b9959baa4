package httpx

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// linearInputs are messages of about n octets in the shapes that make careless readers look again and again.
func linearInputs(n int) map[string]string {
	return map[string]string{
		"long target":      "GET /" + strings.Repeat("a", n) + " HTTP/1.1\r\nHost: a\r\n\r\n",
		"long value":       getWith("X: " + strings.Repeat("v", n)),
		"blanks in value":  getWith("X: v" + strings.Repeat(" ", n) + "v"),
		"long name":        getWith(strings.Repeat("n", n)),
		"many fields":      getWith(strings.Repeat("X: 1\r\n", n/6) + "Y: 1"),
		"many equal hosts": getWith("Connection: " + strings.Repeat("x,", n/2)),
		"folds":            getWith("X: 1" + strings.Repeat("\r\n x", n/4)),
		"empty folds":      getWith("X: 1" + strings.Repeat("\r\n  ", n/4)),
		"fixed body":       getWith("Content-Length: 10000000") + strings.Repeat("x", n),
		"tiny chunks":      postChunked + strings.Repeat("1\r\nx\r\n", n/6),
		"long extension":   postChunked + "1;" + strings.Repeat("a", n) + "\r\nx\r\n",
		"trailers":         postChunked + "0\r\n" + strings.Repeat("X: 1\r\n", n/6) + "\r\n",
		"many requests":    strings.Repeat(getRequest, n/len(getRequest)),
		"same lengths":     getWith(strings.Repeat("Content-Length: 0\r\n", n/19) + "Y: 1"),
	}
}

// wide has no limit that the inputs reach.
var wide = DecoderConfig{
	UnfoldLines: true, CollapseEqualLengths: true,
	Limits: Limits{Line: 1 << 30, Head: 1 << 30, Fields: 1 << 30, ChunkExt: 1 << 30},
}

// feedTime decodes input in pieces and returns how long that took. The buffer holds the whole input from the start, so
// that only the decoder is measured.
func feedTime(input string, piece int) time.Duration {
	in := buffer.Get(len(input))
	defer in.Release()
	d := NewRequestDecoder(wide, nil)
	start := time.Now()
	for len(input) > 0 {
		n := min(piece, len(input))
		in.AppendString(input[:n])
		input = input[n:]
		for in.Len() > 0 {
			m, ok, _ := d.Decode(in)
			if !ok {
				break
			}
			buffer.Release(m)
		}
	}
	return time.Since(start)
}

// Twice the octets may cost about twice the time; quadratic work would cost four times. The best of several runs is
// taken, as others share the machine.
func TestWorkIsLinearInTheOctetsHoweverTheyAreCut(t *testing.T) {
	const n = 16 << 10
	large := linearInputs(4 * n)
	for name, input := range linearInputs(n) {
		for piece, cut := range map[int]string{1: "octet by octet", 1 << 20: "whole"} {
			t.Run(name+"/"+cut, func(t *testing.T) {
				const quadratic, linear = 16.0, 4.0
				best := quadratic
				for range 10 {
					if best < 1.6*linear {
						return
					}
					once := feedTime(input, piece)
					best = min(best, float64(feedTime(large[name], piece))/float64(once))
				}
				require.Less(t, best, 2*linear, "4 times the octets cost so many times the work")
			})
		}
	}
}

// The same without a clock: the search for a line end never starts over.
func TestNoOctetOfAHeadIsSearchedTwice(t *testing.T) {
	in := buffer.Get(4 << 10)
	defer in.Release()
	d := NewRequestDecoder(DecoderConfig{}, nil)
	head := getWith("X: "+strings.Repeat("v", 1000), "Y: 1")
	for i := range len(head) - 1 {
		in.AppendString(head[i : i+1])
		_, ok, err := d.Decode(in)
		require.NoError(t, err)
		require.False(t, ok)
		require.Equal(t, i+1, d.lines.seen)
		require.Equal(t, i+1, in.Len(), "the head stays in the window until it is complete")
	}
}
