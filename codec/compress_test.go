package codec

import (
	"bytes"
	stdflate "compress/flate"
	stdgzip "compress/gzip"
	stdzlib "compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

var formats = []Compression{Gzip, Zlib, Deflate, Zstd}

// deflated is text as one complete stream, by other implementations where there are any.
func deflated(t testing.TB, c Compression, text string) string {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch c {
	case Gzip:
		w = stdgzip.NewWriter(&out)
	case Zlib:
		w = stdzlib.NewWriter(&out)
	case Deflate:
		w, err = stdflate.NewWriter(&out, 6)
	case Zstd:
		w, err = zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	}
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.String()
}

// inflated is what other implementations make of one complete stream.
func inflated(t testing.TB, c Compression, stream string) string {
	t.Helper()
	var r io.Reader
	var err error
	in := strings.NewReader(stream)
	switch c {
	case Gzip:
		r, err = stdgzip.NewReader(in)
	case Zlib:
		r, err = stdzlib.NewReader(in)
	case Deflate:
		r = stdflate.NewReader(in)
	case Zstd:
		var d *zstd.Decoder
		d, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		if err == nil {
			defer d.Close()
			r = d
		}
	}
	require.NoError(t, err)
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(all)
}

// prose is n bytes of text that compresses to about a quarter.
func prose(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "word%d ", r.IntN(500))
	}
	return b.String()[:n]
}

// noise is n bytes that do not compress.
func noise(n int) string {
	r := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return string(b[:n])
}

// texts are contents of all kinds.
func texts() map[string]string {
	return map[string]string{
		"nothing":   "",
		"one byte":  "x",
		"short":     "hello, hello, hello",
		"prose":     prose(90_000),
		"noise":     noise(40_000),
		"repeating": strings.Repeat("x", 60_000),
	}
}

// inflateAll feeds an Inflater pieces as a driver does. It returns what came out, and the errors.
func inflateAll(t testing.TB, d *Inflater, end bool, pieces ...string) (text string, errs []error) {
	t.Helper()
	var out strings.Builder
	take := func(f *buffer.Buffer, ok bool, err error) {
		if err != nil {
			errs = append(errs, err)
		}
		if ok {
			require.Positive(t, f.Len())
			require.LessOrEqual(t, f.Len(), inflatePiece)
			out.Write(f.Bytes())
			f.Release()
		}
	}
	for _, p := range pieces {
		in := buffer.FromString(p)
		for in.Len() > 0 || d.Backlog() {
			take(d.Decode(in))
		}
		in.Release()
	}
	for end {
		f, ok, err := d.DecodeEOF(buffer.Wrap(nil))
		take(f, ok, err)
		end = ok
	}
	return out.String(), errs
}

func TestInflaterReadsWhatOthersWrite(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			for name, text := range texts() {
				stream := deflated(t, c, text)
				for how, pieces := range map[string][]string{
					"whole": {stream}, "in small pieces": inPieces(stream, 1+len(stream)/1000), "in two": {stream[:len(stream)/2], stream[len(stream)/2:]},
				} {
					d := &Inflater{Format: c, Cap: Cap{MaxRatio: 1000}}
					got, errs := inflateAll(t, d, true, pieces...)
					d.Reset()
					require.Empty(t, errs, "%s %s", name, how)
					require.Equal(t, text, got, "%s %s", name, how)
				}
			}
		})
	}
}

// inPieces cuts s into pieces of n bytes.
func inPieces(s string, n int) []string {
	var pieces []string
	for ; len(s) > n; s = s[n:] {
		pieces = append(pieces, s[:n])
	}
	return append(pieces, s)
}

func TestDeflaterWritesWhatOthersRead(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			for name, text := range texts() {
				if text == "" {
					continue // no stream at all
				}
				for level := range 3 {
					d := &Deflater{Format: c, Level: level}
					for piece := range strings.SplitSeq(text, "7") {
						_, err := d.Write([]byte(piece))
						require.NoError(t, err)
						_, err = d.Write([]byte("7"))
						require.NoError(t, err)
					}
					require.NoError(t, d.Close())
					_, err := d.Write([]byte("more"))
					require.ErrorIs(t, err, ErrDeflateEnded)
					out := taken(t, d.Take())
					require.Equal(t, text+"7", inflated(t, c, out), "%s level %d", name, level)
				}
			}
		})
	}
}

// taken is the bytes of a Buffer or Composite, which is released.
func taken(t testing.TB, msg any) string {
	t.Helper()
	defer buffer.Release(msg)
	switch m := msg.(type) {
	case *buffer.Buffer:
		return string(m.Bytes())
	case *buffer.Composite:
		return string(m.Bytes())
	}
	require.Nil(t, msg)
	return ""
}

func TestFlushMakesEverythingReadable(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			w, r := &Deflater{Format: c}, &Inflater{Format: c}
			require.NoError(t, w.Flush(), "nothing was written")
			require.Nil(t, w.Take())
			for _, text := range []string{"a", "", "hello hello", prose(70_000), "b"} {
				_, err := w.Write([]byte(text))
				require.NoError(t, err)
				require.NoError(t, w.Flush())
				got, errs := inflateAll(t, r, false, taken(t, w.Take()))
				require.Empty(t, errs)
				require.Equal(t, text, got)
			}
			require.NoError(t, w.Close())
			got, errs := inflateAll(t, r, true, taken(t, w.Take()))
			require.Empty(t, errs)
			require.Empty(t, got)
			r.Reset()
		})
	}
}

func TestDeflaterIsReadyForAnotherStreamAfterReset(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			d := &Deflater{Format: c}
			for _, text := range []string{"dropped in the middle", "second"} {
				_, err := d.Write([]byte(text))
				require.NoError(t, err)
				if text == "second" {
					require.NoError(t, d.Close())
					require.Equal(t, text, inflated(t, c, taken(t, d.Take())))
				} else {
					require.NoError(t, d.Flush())
				}
				d.Reset()
				require.Zero(t, d.Pending())
			}
		})
	}
}

func TestCompressionRefusesWrongSettings(t *testing.T) {
	for _, d := range []*Deflater{{}, {Format: Zstd + 1}, {Format: Gzip, Level: 10}, {Format: Zstd, Level: 5}, {Format: Zlib, Level: -1}} {
		require.ErrorIs(t, d.Check(), ErrConfig)
		_, err := d.Write([]byte("x"))
		require.ErrorIs(t, err, ErrConfig)
	}
	in := buffer.FromString("x")
	defer in.Release()
	_, _, err := (&Inflater{}).Decode(in)
	require.ErrorIs(t, err, ErrConfig)
}
