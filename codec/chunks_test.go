package codec

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestChunksWithoutAWriterAreRefusedAndClosed(t *testing.T) {
	ch := pipelinetest.New(t)
	s := &source{}
	require.NoError(t, ch.Pipeline().Write(s.chunks()))
	msg := ch.ReadOutbound() // an embedded channel keeps what nobody encoded
	buffer.Release(msg)
	require.Equal(t, 1, s.closed)
	require.Panics(t, func() { buffer.Release(msg) })
}

func TestReaderChunks(t *testing.T) {
	ch := pipelinetest.New(t, &ChunkedWriter{})
	r := &closingReader{Reader: strings.NewReader(strings.Repeat("abc", 1000))}
	o := write(ch, NewReaderChunks(r, 7))
	ch.RunPending()
	require.Equal(t, strings.Repeat("abc", 1000), ch.Wire())
	require.Equal(t, pipelinetest.Outcome{Done: true}, *o)
	require.Equal(t, 1, r.closed)
}

type closingReader struct {
	io.Reader
	closed int
}

func (r *closingReader) Close() error {
	r.closed++
	return nil
}

func TestReaderThatWouldBlockSuspends(t *testing.T) {
	w := &ChunkedWriter{}
	ch := pipelinetest.New(t, w)
	r := &script{steps: []step{{"ab", nil}, {"", pipeline.ErrWouldBlock}, {"c", nil}, {"", nil}, {"d", io.EOF}}}
	o := write(ch, NewReaderChunks(r, 0))
	ch.RunPending()
	require.Equal(t, "ab", ch.Wire())
	w.ResumeTransfer()
	ch.RunPending()
	require.Equal(t, "c", ch.Wire())
	w.ResumeTransfer()
	ch.RunPending()
	require.Equal(t, "d", ch.Wire())
	require.True(t, o.Done)
	r = &script{steps: []step{{"half", errBad}}}
	o = write(ch, NewReaderChunks(r, 0))
	ch.RunPending()
	require.Equal(t, "half", ch.Wire())
	require.ErrorIs(t, o.Err, errBad)
}

type step struct {
	text string
	err  error
}

// script is a reader with scripted results.
type script struct{ steps []step }

func (s *script) Read(p []byte) (int, error) {
	st := s.steps[0]
	s.steps = s.steps[1:]
	return copy(p, st.text), st.err
}

func TestFileChunks(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 20_000)
	for name, c := range map[string]struct{ off, n int64 }{
		"whole":   {0, int64(len(content))},
		"part":    {5, 100_001},
		"nothing": {5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := tempFile(t, content)
			regions := &regions{}
			ch := pipelinetest.New(t, regions, &ChunkedWriter{})
			o := write(ch, NewFileChunks(f, c.off, c.n, 30_000))
			ch.RunPending()
			require.Equal(t, string(content[c.off:c.off+c.n]), ch.Wire())
			require.Equal(t, pipelinetest.Outcome{Done: true}, *o)
			require.ErrorIs(t, f.Close(), os.ErrClosed, "the transfer closed it")
			require.Equal(t, int((c.n+29_999)/30_000), regions.n, "the transport gets regions of the file")
		})
	}
}

func TestFileThatIsShorterThanSaidClosesTheChannel(t *testing.T) {
	f := tempFile(t, []byte("short"))
	ch := pipelinetest.New(t, &ChunkedWriter{})
	o := write(ch, NewFileChunks(f, 0, 10, 0))
	ch.RunPending()
	ch.ExpectError(io.ErrUnexpectedEOF)
	require.ErrorIs(t, o.Err, io.ErrUnexpectedEOF)
	require.ErrorIs(t, f.Close(), os.ErrClosed)
}

func tempFile(t *testing.T, content []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	return f
}

// regions counts file regions on their way to the head.
type regions struct{ n int }

func (r *regions) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if _, ok := msg.(*pipeline.FileRegion); ok {
		r.n++
	}
	return ctx.Forward(msg, p)
}

func TestChunksAreClosedWhenTheLastReferenceIsGiven(t *testing.T) {
	s := &source{}
	c := s.chunks()
	c.Retain()
	c.Release()
	require.Zero(t, s.closed)
	c.Release()
	require.Equal(t, 1, s.closed)
	require.PanicsWithValue(t, "codec: Chunks released twice", c.Release)
}

func TestChunksThatSomebodyElseHoldsAreClosedWhenTheyAreSent(t *testing.T) {
	ch := pipelinetest.New(t, &ChunkedWriter{})
	s := &source{pieces: []string{"x"}}
	c := s.chunks()
	c.Retain()
	ch.WriteOutbound(c)
	require.Equal(t, 1, s.closed)
	c.Release()
	require.Equal(t, 1, s.closed)
}
