package codec

import (
	"bytes"
	stdgzip "compress/gzip"
	stdzlib "compress/zlib"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZlibFrameIsChecked(t *testing.T) {
	good := deflated(t, Zlib, "hello")
	body := good[2 : len(good)-4]
	sum := good[len(good)-4:]
	for name, c := range map[string]struct{ stream, want string }{
		"another method":    {"\x79\x9c" + body + sum, "no header of zlib"},
		"a window too wide": {"\x88\x1c" + body + sum, "no header of zlib"},
		"wrong check bits":  {"\x78\x9d" + body + sum, "no header of zlib"},
		"a dictionary":      {"\x78\xbb" + "\x00\x00\x00\x00" + body + sum, "preset dictionary"},
		"a wrong checksum":  {"\x78\x9c" + body + "\x00\x00\x00\x00", "wrong checksum"},
		"damaged data":      {"\x78\x9c\xff\xff" + body + sum, "flate: corrupt input"},
		"all is well":       {good, ""},
		"a smaller window":  {"\x18\x19" + body + sum, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Inflater{Format: Zlib}
			got, errs := inflateAll(t, d, true, strings.Split(c.stream, "")...)
			d.Reset()
			if c.want == "" {
				require.Empty(t, errs)
				require.Equal(t, "hello", got)
				return
			}
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], ErrCorrupted)
			require.ErrorContains(t, errs[0], "codec: zlib: compressed data: "+c.want)
		})
	}
}

func TestGzipHeadersOfAllKindsAreRead(t *testing.T) {
	var stream bytes.Buffer
	for i, h := range []stdgzip.Header{
		{}, {Name: "name.txt"}, {Comment: "comment", Extra: []byte("extra")}, {Name: "n", Comment: "c", Extra: bytes.Repeat([]byte("x"), 60_000)},
	} {
		w := stdgzip.NewWriter(&stream)
		w.Header = h
		_, err := w.Write([]byte("part " + strconv.Itoa(i) + " "))
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	for how, pieces := range map[string][]string{"whole": {stream.String()}, "byte by byte": strings.Split(stream.String(), "")} {
		d := &Inflater{Format: Gzip}
		got, errs := inflateAll(t, d, true, pieces...)
		d.Reset()
		require.Empty(t, errs, how)
		require.Equal(t, "part 0 part 1 part 2 part 3 ", got, how)
	}
}

func TestLastBytesComeOutBeforeTheChecksum(t *testing.T) {
	trailer := map[Compression]int{Gzip: 8, Zlib: 4, Deflate: 0}
	for c, n := range trailer {
		stream := deflated(t, c, "the last words")
		d := &Inflater{Format: c}
		got, errs := inflateAll(t, d, false, stream[:len(stream)-n])
		require.Empty(t, errs)
		require.Equal(t, "the last words", got, "%s: a peer may wait for an answer before it ends the stream", c)
		d.Reset()
	}
}

func TestInflaterIsNotFooledByRandomCuts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			text := prose(60_000) + noise(20_000) + strings.Repeat("z", 90_000)
			stream := deflated(t, c, text)
			for range 20 {
				var pieces []string
				for rest := stream; rest != ""; {
					n := min(1+r.IntN(1<<r.IntN(14)), len(rest))
					pieces = append(pieces, rest[:n])
					rest = rest[n:]
				}
				d := &Inflater{Format: c}
				got, errs := inflateAll(t, d, true, pieces...)
				require.Empty(t, errs)
				require.Equal(t, text, got)
				d.Reset()
			}
		})
	}
}

func TestEmptyStreamsAreStreams(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			d := &Inflater{Format: c}
			got, errs := inflateAll(t, d, true, deflated(t, c, ""))
			require.Empty(t, errs)
			require.Empty(t, got)
			d.Reset()
		})
	}
}

// GO-2026-6865: a crafted frame made a library panic.
func TestGO20266865PanicOfALibraryIsCorruptedInput(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			f := &feed{yield: func(struct{}) bool { panic("inside of the library") }}
			err := c.run(f)
			require.ErrorIs(t, err, ErrCorrupted)
			require.EqualError(t, err, "codec: "+c.String()+": library failed: panic: inside of the library")
			require.Zero(t, f.unused(), "its reader may be used by nobody")
		})
	}
}

// GO-2026-6865 is fixed in v1.20.2.
func TestGO20266865LibraryIsNewEnough(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(mod), "github.com/klauspost/compress v1.")
	require.True(t, ok)
	version, _, _ := strings.Cut(rest, "\n")
	minor, patch, _ := strings.Cut(version, ".")
	m, err := strconv.Atoi(minor)
	require.NoError(t, err)
	p, err := strconv.Atoi(patch)
	require.NoError(t, err)
	require.True(t, m > 20 || m == 20 && p >= 2, "v1.%s", version)
}

// CVE-2026-42587: only one of the algorithms was limited.
func TestCVE202642587EveryAlgorithmIsLimited(t *testing.T) {
	for _, c := range formats {
		t.Run(c.String(), func(t *testing.T) {
			d := &Inflater{Format: c}
			defer d.Reset()
			got, errs := inflateAll(t, d, true, bombOf(t, c, 4<<20))
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], ErrInflatedTooMuch)
			require.LessOrEqual(t, len(got), 1<<20)
		})
	}
}

func TestStreamsWithADictionaryAreRefused(t *testing.T) {
	var stream bytes.Buffer
	w, err := stdzlib.NewWriterLevelDict(&stream, 6, []byte("penstock"))
	require.NoError(t, err)
	_, err = w.Write([]byte("penstock"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	d := &Inflater{Format: Zlib}
	_, errs := inflateAll(t, d, true, stream.String())
	d.Reset()
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "preset dictionary")
}
