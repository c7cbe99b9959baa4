package nethttp_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aFile is a file with n octets of text.
func aFile(t *testing.T, n int) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.txt")
	require.NoError(t, os.WriteFile(name, []byte(strings.Repeat("0123456789abcdef", n/16+1)[:n]), 0o600))
	f, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// descriptors counts those of the process that are of f's file.
func descriptors(t *testing.T, f *os.File) (n int) {
	t.Helper()
	want, err := f.Stat()
	require.NoError(t, err)
	all, err := os.ReadDir("/dev/fd")
	require.NoError(t, err)
	for _, entry := range all {
		is, err := os.Stat("/dev/fd/" + entry.Name())
		if err == nil && os.SameFile(is, want) {
			n++
		}
	}
	return n
}

func TestReadFromAFile(t *testing.T) {
	const size = 3<<20 + 5
	for name, c := range map[string]struct {
		announced int64
		src       func(f *os.File) io.Reader
		want      int64
		left      int64 // of the file
	}{
		"all of it":            {size, func(f *os.File) io.Reader { return f }, size, 0},
		"a part":               {100_000, func(f *os.File) io.Reader { return io.LimitReader(f, 100_000) }, 100_000, size - 100_000},
		"more than there is":   {size, func(f *os.File) io.Reader { return io.LimitReader(f, 1<<30) }, size, 0},
		"of unknown length":    {-1, func(f *os.File) io.Reader { return f }, size, 0},
		"through a plain type": {size, func(f *os.File) io.Reader { return struct{ io.Reader }{f} }, size, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := aFile(t, size)
			var n, left int64
			var err error
			b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				if c.announced >= 0 {
					w.Header().Set("Content-Length", strconv.FormatInt(c.announced, 10))
				}
				n, err = w.(io.ReaderFrom).ReadFrom(c.src(f))
				rest, _ := io.ReadAll(f)
				left = int64(len(rest))
			})
			b.Feed(plainGet)
			wire := b.over()
			require.NoError(t, err)
			require.Equal(t, c.want, n)
			require.Equal(t, c.left, left, "the file has moved on")
			require.Equal(t, int(c.want), len(bodyOf(wire))) //nolint:testifylint // Len would print a megabyte
			require.True(t, strings.HasPrefix(bodyOf(wire), "0123456789abcdef0123"))
			require.Equal(t, 1, descriptors(t, f), "it was opened once more, and closed")
		})
	}
}

func TestReadFromAFileThatHasAnotherName(t *testing.T) {
	f := aFile(t, 100_000)
	require.NoError(t, os.Remove(f.Name()))
	require.NoError(t, os.WriteFile(f.Name(), []byte(strings.Repeat("evil", 50_000)), 0o600))
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "100000")
		_, _ = w.(io.ReaderFrom).ReadFrom(f)
	})
	b.Feed(plainGet)
	got := bodyOf(b.over())
	require.Equal(t, 100_000, len(got)) //nolint:testifylint // Len would print it
	require.NotContains(t, got[:100], "evil")
}

func TestReadFromAFileToAClientThatLeaves(t *testing.T) {
	f := aFile(t, 8<<20)
	var err error
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", strconv.Itoa(8<<20))
		_, err = w.(io.ReaderFrom).ReadFrom(f)
	})
	b.Block()
	b.Feed(plainGet)
	b.until(func() bool { return b.Channel.Channel().Pending() > 1<<20 })
	require.LessOrEqual(t, b.Channel.Channel().Pending(), 2<<20, "region by region")
	b.PeerReset()
	b.over()
	require.Error(t, err)
	require.Equal(t, 1, descriptors(t, f))
}

func TestReadFromALongerFileThanAnnounced(t *testing.T) {
	f := aFile(t, 100_000)
	var err error
	b := handling(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "50000")
		_, err = w.(io.ReaderFrom).ReadFrom(f)
	})
	b.Feed(plainGet)
	wire := b.over()
	require.ErrorIs(t, err, http.ErrContentLength)
	require.LessOrEqual(t, len(body(wire)), 50_000)
	require.True(t, b.Channel.Channel().Closed())
}
