package codec

import (
	stdflate "compress/flate"
	stdgzip "compress/gzip"
	stdzlib "compress/zlib"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// FuzzInflate feeds an Inflater whatever the fuzzer finds, whole and in pieces, and requires the same bytes and errors
// each time, and those that another implementation gives.
func FuzzInflate(f *testing.F) {
	f.Fuzz(func(t *testing.T, which uint8, stream string, cut uint16) {
		c := formats[int(which)%len(formats)]
		limit := Cap{MaxBytes: 1 << 20, MaxWindow: 1 << 20}
		inflate := func(pieces ...string) (string, []error) {
			d := &Inflater{Format: c, Cap: limit}
			defer d.Reset()
			return inflateAll(t, d, true, pieces...)
		}
		want, errs := inflate(stream)
		require.LessOrEqual(t, len(want), limit.MaxBytes)
		require.LessOrEqual(t, len(errs), 1)
		at := int(cut) % (len(stream) + 1)
		for _, pieces := range [][]string{{stream[:at], stream[at:]}, strings.Split(stream, "")} {
			got, again := inflate(pieces...)
			require.Equal(t, want, got)
			require.Equal(t, texted(errs), texted(again))
		}
		asOthersDo(t, c, stream, want, errs)
	})
}

// texted is errors as texts.
func texted(errs []error) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return texts
}

// asOthersDo compares with another implementation, where there is one that behaves like ours should.
func asOthersDo(t *testing.T, c Compression, stream, got string, errs []error) {
	t.Helper()
	if stream == "" || len(errs) > 0 && containsCap(errs[0]) {
		return
	}
	in := strings.NewReader(stream)
	var r io.Reader
	var err error
	switch c {
	case Gzip:
		r, err = stdgzip.NewReader(in)
	case Zlib:
		r, err = stdzlib.NewReader(in)
	case Deflate:
		r = stdflate.NewReader(in)
	case Zstd:
		var d *zstd.Decoder
		d, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecodeBuffersBelow(0))
		if err == nil {
			defer d.Close()
			r = d
		}
	}
	var want []byte
	if err == nil {
		want, err = io.ReadAll(io.LimitReader(r, 2<<20))
	}
	if c == Zlib || c == Deflate { // readers that stop at the end and do not look behind it
		if err == nil && in.Len() > 0 {
			require.Len(t, errs, 1, "bytes behind the end")
			return
		}
	}
	if err != nil {
		require.Len(t, errs, 1, "they say %v", err)
		return
	}
	require.Empty(t, errs)
	require.Equal(t, string(want), got)
}

func containsCap(err error) bool {
	_, ok := err.(*CapError) //nolint:errorlint // Inflater gives it as it is
	return ok
}

// FuzzDeflate compresses text in pieces, with a flush behind each, and requires that the peer has each piece at once
// and that others can read the whole stream.
func FuzzDeflate(f *testing.F) {
	f.Fuzz(func(t *testing.T, which, level uint8, text string, cut uint16) {
		c := formats[int(which)%len(formats)]
		w := &Deflater{Format: c, Level: int(level % 4)}
		r := &Inflater{Format: c, Cap: Cap{MaxRatio: 1 << 20}}
		defer w.Reset()
		defer r.Reset()
		var wire strings.Builder
		at := int(cut) % (len(text) + 1)
		for _, piece := range []string{text[:at], text[at:], text} {
			_, err := w.Write([]byte(piece))
			require.NoError(t, err)
			require.NoError(t, w.Flush())
			out := taken(t, w.Take())
			wire.WriteString(out)
			got, errs := inflateAll(t, r, false, strings.Split(out, "")...)
			require.Empty(t, errs)
			require.Equal(t, piece, got)
		}
		require.NoError(t, w.Close())
		out := taken(t, w.Take())
		wire.WriteString(out)
		got, errs := inflateAll(t, r, true, out)
		require.Empty(t, errs)
		require.Empty(t, got)
		require.Equal(t, text+text, inflated(t, c, wire.String()))
	})
}
