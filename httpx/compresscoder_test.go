package httpx

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

var allCodings = []coding{codingGzip, codingDeflate, codingZstd}

// decoded is what other implementations make of a body.
func decoded(t testing.TB, c coding, body []byte) string {
	t.Helper()
	var r io.Reader
	var err error
	switch in := bytes.NewReader(body); c {
	case codingGzip:
		r, err = gzip.NewReader(in)
	case codingDeflate:
		r, err = zlib.NewReader(in)
	case codingZstd:
		var d *zstd.Decoder
		d, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		if err == nil {
			defer d.Close()
			r = d
		}
	case codingNone:
		return string(body)
	}
	require.NoError(t, err)
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(all)
}

// prose is text that compresses to about a quarter.
func prose(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		b.WriteString("word")
		b.WriteByte(byte('a' + r.IntN(26)))
		b.WriteByte(byte('a' + r.IntN(26)))
		b.WriteByte(' ')
	}
	return b.String()[:n]
}

func TestCoderWritesWhatOthersRead(t *testing.T) {
	text := prose(100_000)
	for _, coding := range allCodings {
		for _, history := range []bool{false, true} {
			for name, c := range map[string]struct{ pieces, flushEvery int }{
				"nothing":                {0, 0},
				"one piece":              {1, 0},
				"one, flushed":           {1, 1},
				"many, flushed each":     {50, 1},
				"many, flushed at times": {50, 7},
			} {
				t.Run(coding.String()+" "+name, func(t *testing.T) {
					w := coder{history: history}
					for range 2 { // one after the other
						var body []byte
						w.begin(coding, 1, buffer.Shared())
						want := ""
						for i := range c.pieces {
							piece := text[i*2000 : (i+1)*2000]
							want += piece
							require.NoError(t, w.write([]byte(piece)))
							if c.flushEvery > 0 && i%c.flushEvery == 0 {
								require.NoError(t, w.flush())
								require.Equal(t, history, w.live)
								body = appendTaken(body, &w)
							}
						}
						require.NoError(t, w.close())
						require.False(t, w.live)
						body = appendTaken(body, &w)
						require.Zero(t, w.pending())
						require.Equal(t, want, decoded(t, coding, body))
					}
				})
			}
		}
	}
}

func appendTaken(dst []byte, w *coder) []byte {
	if b := w.take(); b != nil {
		dst = append(dst, b.Bytes()...)
		b.Release()
	}
	return dst
}

func TestCoderMakesEverythingReadableAtAFlush(t *testing.T) {
	for _, coding := range allCodings {
		t.Run(coding.String(), func(t *testing.T) {
			var w coder
			w.begin(coding, 1, buffer.Shared())
			pr, pw := io.Pipe()
			lines := make(chan string)
			go func() {
				defer close(lines)
				var r io.Reader
				switch coding {
				case codingGzip:
					r, _ = gzip.NewReader(pr)
				case codingDeflate:
					r, _ = zlib.NewReader(pr)
				case codingZstd, codingNone:
					d, _ := zstd.NewReader(pr, zstd.WithDecoderConcurrency(1))
					defer d.Close()
					r = d
				}
				one := make([]byte, 7)
				for {
					if _, err := io.ReadFull(r, one); err != nil {
						return
					}
					lines <- string(one)
				}
			}()
			for _, line := range []string{"first \n", "second\n", "third \n"} {
				require.NoError(t, w.write([]byte(line)))
				require.NoError(t, w.flush())
				_, err := pw.Write(appendTaken(nil, &w))
				require.NoError(t, err)
				require.Equal(t, line, <-lines)
			}
			require.NoError(t, w.close())
			_, err := pw.Write(appendTaken(nil, &w))
			require.NoError(t, err)
			require.NoError(t, pw.Close())
			_, more := <-lines
			require.False(t, more)
		})
	}
}

func TestCoderDropsABodyInTheMiddle(t *testing.T) {
	for _, coding := range allCodings {
		var w coder
		w.begin(coding, 9, buffer.Shared())
		require.NoError(t, w.write([]byte(prose(100_000))))
		w.reset()
		require.Zero(t, w.pending())
		w.begin(coding, 9, buffer.Shared())
		require.NoError(t, w.write([]byte("again")))
		require.NoError(t, w.close())
		require.Equal(t, "again", decoded(t, coding, appendTaken(nil, &w)))
	}
}
