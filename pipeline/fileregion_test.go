package pipeline_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// sender is a wire that can send from files.
type sender struct {
	wire
	files int
}

func (s *sender) SendFile(f *os.File, off int64, n int) (int, error) {
	s.files++
	p := make([]byte, n)
	got, err := f.ReadAt(p, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	s.out = append(s.out, p[:got]...)
	return got, err
}

// fileWith makes a file of text, open for reading.
func fileWith(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestFileRegionsAreSentInTheirPlace(t *testing.T) {
	body := strings.Repeat("0123456789", 60_000)
	t.Run("through a buffer", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		f := fileWith(t, body)
		send(ch, rec, "head ")
		ch.Pipeline().WriteWith(pipeline.NewFileRegion(f, 5, len(body)-10, true), rec.note(ch.Channel(), "file"))
		send(ch, rec, " tail")
		require.Equal(t, len(body), ch.Channel().Pending())
		ch.RunPending()
		require.Equal(t, "head "+body[5:len(body)-5]+" tail", ch.WireString())
		require.Equal(t, []string{"head  ok", "file ok", " tail ok"}, rec.take())
		_, err := f.Stat()
		require.ErrorIs(t, err, os.ErrClosed, "closed with its last reference")
	})
	t.Run("a peer that takes little at a time", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		ch.ShortWrites(1000)
		ch.Pipeline().WriteWith(pipeline.NewFileRegion(fileWith(t, body[:5555]), 0, 5555, false), rec.note(ch.Channel(), "file"))
		ch.RunPending()
		require.Equal(t, body[:5555], ch.WireString())
		require.Equal(t, []string{"file ok"}, rec.take())
	})
	t.Run("by the transport, when it can", func(t *testing.T) {
		s := &sender{wire: wire{room: -1}}
		b := &bare{wire: &s.wire, logs: &strings.Builder{}}
		b.open(t, pipeline.Options{}, s, nil)
		require.NoError(t, b.Pipeline().Write(bytesOf("head ")))
		require.NoError(t, b.Pipeline().Write(pipeline.NewFileRegion(fileWith(t, body), 0, len(body), false)))
		b.run()
		require.Equal(t, "head "+body, string(s.out))
		require.Equal(t, 3, s.files, "a piece at a time")
	})
	t.Run("a file shorter than announced ends the channel", func(t *testing.T) {
		for _, tr := range []pipeline.Transport{&wire{room: -1}, &sender{wire: wire{room: -1}}} {
			rec := &record{}
			w, ok := tr.(*wire)
			if !ok {
				w = &tr.(*sender).wire
			}
			b := &bare{wire: w, logs: &strings.Builder{}}
			b.open(t, pipeline.Options{}, tr, nil)
			r := pipeline.NewFileRegion(fileWith(t, "short"), 0, 10, true)
			b.Pipeline().WriteWith(r, rec.note(b.Channel, "file"))
			b.run()
			require.Equal(t, "short", string(w.out))
			require.ErrorIs(t, b.Cause(), io.ErrUnexpectedEOF)
			require.Len(t, rec.take(), 1)
			require.True(t, b.Closed())
		}
	})
	t.Run("empty, cancelled, and on a closed channel", func(t *testing.T) {
		rec := &record{}
		ch := newChannelWith(t, manual())
		gone := func(f *os.File) bool {
			_, err := f.Stat()
			return errors.Is(err, os.ErrClosed)
		}
		empty, cancelled, late := fileWith(t, "x"), fileWith(t, "x"), fileWith(t, "x")
		ch.Pipeline().WriteWith(pipeline.NewFileRegion(empty, 0, 0, true), rec.note(ch.Channel(), "empty"))
		p := rec.note(ch.Channel(), "file")
		ch.Pipeline().WriteWith(pipeline.NewFileRegion(cancelled, 0, 1, true), p)
		send(ch, rec, "text")
		require.True(t, p.Cancel())
		ch.Pipeline().Flush()
		require.Equal(t, []string{"file cancelled", "empty ok", "text ok"}, rec.take())
		require.Equal(t, "text", ch.WireString())
		ch.Pipeline().Close(pipeline.CloseNow, nil)
		ch.Pipeline().WriteWith(pipeline.NewFileRegion(late, 0, 1, true), rec.note(ch.Channel(), "late"))
		require.Equal(t, []string{"late closed"}, rec.take())
		require.True(t, gone(empty) && gone(cancelled) && gone(late))
	})
	t.Run("released once too often", func(t *testing.T) {
		r := pipeline.NewFileRegion(fileWith(t, "x"), 0, 1, false)
		r.Retain()
		r.Release()
		require.Equal(t, 1, r.Len())
		r.Release()
		require.PanicsWithValue(t, "pipeline: FileRegion released twice", r.Release)
	})
}

func TestFileRegionsCanBeReadInstead(t *testing.T) {
	f := fileWith(t, "0123456789")
	r := pipeline.NewFileRegion(f, 2, 6, true)
	p := make([]byte, 4)
	n, err := r.Read(p)
	require.NoError(t, err)
	require.Equal(t, "2345", string(p[:n]))
	require.Equal(t, 2, r.Len())
	rest, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "67", string(rest))
	r.Release()
	_, err = r.Read(p)
	require.ErrorIs(t, err, io.EOF)
}

func TestReadingAFileRegionThatIsTooLongFails(t *testing.T) {
	r := pipeline.NewFileRegion(fileWith(t, "short"), 0, 10, true)
	defer r.Release()
	all, err := io.ReadAll(r)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "short", string(all))
	closed := pipeline.NewFileRegion(fileWith(t, "short"), 0, 5, true)
	closed.Retain()
	closed.Release()
	closed.Release()
	_, err = closed.Read(make([]byte, 5))
	require.ErrorIs(t, err, os.ErrClosed)
}

func TestFileRegionsTellThatTheyAreReleased(t *testing.T) {
	released := 0
	r := pipeline.NewFileRegion(fileWith(t, "x"), 0, 1, true)
	r.OnRelease(func() { released++ })
	r.Retain()
	r.Release()
	require.Zero(t, released)
	r.Release()
	require.Equal(t, 1, released)
}
