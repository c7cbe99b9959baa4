package httpx_test

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// noisy is n octets that compress to about a half.
func noisy(n int) string {
	b := make([]byte, n)
	seed := uint32(1)
	for i := range b {
		seed = seed*1664525 + 1013904223
		b[i] = "0123456789abcdef"[seed>>28]
	}
	return string(b)
}

// fileAnswer answers with text in regions of a file.
func fileAnswer(t *testing.T, text string, parts int) httpx.HandlerFunc {
	t.Helper()
	return func(_ *pipeline.Context, x *httpx.Exchange) error {
		require.NoError(t, x.Begin(response(t, "content-type", "text/plain", "content-length", strconv.Itoa(len(text)))))
		for i := range parts {
			if err := x.WriteFile(region(t, text[i*len(text)/parts:(i+1)*len(text)/parts])); err != nil {
				return err
			}
		}
		return x.End()
	}
}

func TestCompressorReadsFiles(t *testing.T) {
	for _, size := range []int{2000, 64 << 10, 64<<10 + 1, 1 << 20} {
		for _, accept := range []string{"gzip", "deflate", "zstd", "br"} {
			t.Run(accept+" "+strconv.Itoa(size), func(t *testing.T) {
				text := noisy(size)
				ch := behind(t, fileAnswer(t, text, 3), &httpx.Compressor{})
				ch.Feed(asking("GET", accept) + "\r\n" + asking("GET", accept) + "\r\n")
				all, bodies := answers(t, ch.Wire(), "GET", "GET")
				require.Equal(t, []string{text, text}, bodies)
				require.Equal(t, strings.TrimPrefix(accept, "br"), all[0].Header.Get("Content-Encoding"))
			})
		}
	}
}

func TestCompressorLeavesFilesAloneThatAreIdentity(t *testing.T) {
	text := noisy(5000)
	ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		r := response(t, "content-type", "text/plain", "content-length", strconv.Itoa(len(text)))
		r.Identity = true
		return errors.Join(x.Begin(r), x.WriteFile(region(t, text)), x.End())
	}, &httpx.Compressor{})
	ch.Feed(asking("GET", "gzip") + "\r\n")
	all, bodies := answers(t, ch.Wire(), "GET")
	require.Equal(t, text, bodies[0])
	require.Empty(t, all[0].Header.Get("Vary"))
}

func TestCompressorSendsLargeBodiesAsTheClientReads(t *testing.T) {
	text := noisy(1 << 20)
	for name, serve := range map[string]httpx.HandlerFunc{
		"a file": fileAnswer(t, text, 1),
		"octets": whole(text, "content-type", "text/plain", "content-length", strconv.Itoa(len(text))),
		"slice": func(_ *pipeline.Context, x *httpx.Exchange) error {
			r := httpx.NewFullResponse(200)
			b := buffer.FromString(text)
			r.SetBodySlice(b.ReadSlice(b.Len()))
			b.Release()
			return errors.Join(r.Header.Add("content-type", "text/plain"), x.Respond(r))
		},
		"bytes": func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.RespondBytes(200, "text/plain", []byte(text))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, serve, &httpx.Compressor{})
			ch.Block()
			ch.Feed(asking("GET", "gzip") + "\r\n" + asking("GET", "gzip") + "\r\n")
			most := 0
			for range 400 {
				most = max(most, ch.Channel().Pending())
				ch.AcceptBytes(8 << 10)
				ch.RunPending()
			}
			ch.Unblock()
			ch.RunPending()
			require.Less(t, most, 64<<10+200<<10, "no more than a high watermark and a step of two answers")
			_, bodies := answers(t, ch.Wire(), "GET", "GET")
			require.Equal(t, text, bodies[0])
			require.Equal(t, text, bodies[1])
		})
	}
}

func TestCompressorLetsOthersHaveTheirTurn(t *testing.T) {
	text := noisy(4 << 20)
	ch := behind(t, fileAnswer(t, text, 1), &httpx.Compressor{})
	turns := 0
	var count func()
	count = func() {
		turns++
		_ = ch.Channel().Post(count)
	}
	require.NoError(t, ch.Channel().Post(count))
	ch.Feed(asking("GET", "zstd", "Connection: close") + "\r\n")
	require.GreaterOrEqual(t, turns, 10)
	_, bodies := answers(t, ch.Wire(), "GET")
	require.Equal(t, text, bodies[0])
}

func TestCompressorHoldsBackWhatIsWrittenBehindAFile(t *testing.T) {
	const lines = 2000
	text := noisy(4 << 20)
	var bursts []int
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true, Config: embedded.Config{
		Options: pipeline.Options{ReadWhileUnwritable: true},
	}}, httpx.Init(httpx.ServerConfig{
		Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{&httpx.Compressor{}} },
		Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
			if string(x.Request.Target()) == "/file" {
				return fileAnswer(t, text, 1)(nil, x)
			}
			require.NoError(t, x.Begin(response(t, "content-type", "text/plain")))
			written := 0
			fill := func() {
				before := written
				for x.Writable() && written < lines {
					require.NoError(t, x.WriteBytes([]byte(text[:1000])))
					written++
				}
				bursts = append(bursts, written-before)
				if written == lines {
					x.OnWritable(nil)
					require.NoError(t, x.End())
				}
			}
			x.OnWritable(fill)
			fill()
			return nil
		},
	}))
	ch.Feed(strings.Replace(asking("GET", "gzip"), " / ", " /file ", 1) + "\r\n" + asking("GET", "gzip") + "\r\n")
	_, bodies := answers(t, ch.Wire(), "GET", "GET")
	require.Equal(t, text, bodies[0])
	require.Equal(t, strings.Repeat(text[:1000], lines), bodies[1])
	require.LessOrEqual(t, bursts[0]+bursts[1], 66, "a high watermark waits, no more")
}

func TestCompressorTellsWhenAFileHasLeft(t *testing.T) {
	text := noisy(300 << 10)
	s := &streams{}
	s.answer = func() []any {
		return []any{response(t, "content-type", "text/plain", "content-length", strconv.Itoa(len(text)))}
	}
	cfg := httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler {
		return []pipeline.Handler{&httpx.Compressor{}, s}
	}}
	ch := pipelinetest.NewConfig(t, pipelinetest.Config{Whole: true}, &installs{cfg})
	ch.Feed(asking("GET", "gzip") + "\r\n")
	ch.Block()
	p, file := ch.Watch()
	ch.Pipeline().WriteWith(region(t, text), p)
	p, end := ch.Watch()
	ch.Pipeline().WriteWith(httpx.EmptyLast, p)
	ch.RunPending()
	require.False(t, file.Done)
	ch.Unblock()
	ch.RunPending()
	require.True(t, file.Done)
	require.True(t, end.Done)
	_, bodies := answers(t, ch.Wire(), "GET")
	require.Equal(t, text, bodies[0])
}

func TestCompressorClosesBehindAFile(t *testing.T) {
	text := noisy(1 << 20)
	ch := behind(t, fileAnswer(t, text, 1), &httpx.Compressor{})
	ch.Block()
	ch.Feed(asking("GET", "gzip", "Connection: close") + "\r\n")
	p, outcome := ch.Watch()
	ch.Channel().CloseWith(pipeline.CloseDrain, p)
	ch.RunPending()
	require.False(t, outcome.Done)
	ch.Unblock()
	ch.RunPending()
	require.True(t, outcome.Done)
	_, bodies := answers(t, ch.Wire(), "GET")
	require.Equal(t, text, bodies[0])
}

func TestCompressorDropsAFileWhenTheConnectionEnds(t *testing.T) {
	for name, end := range map[string]func(ch *pipelinetest.Channel){
		"reset":  func(ch *pipelinetest.Channel) { ch.PeerReset() },
		"closed": func(ch *pipelinetest.Channel) { ch.Channel().CloseWith(pipeline.CloseNow, nil) },
		"left":   func(ch *pipelinetest.Channel) { ch.PeerClose() },
		"failed": func(ch *pipelinetest.Channel) { ch.Pipeline().FireError(os.ErrInvalid) },
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, fileAnswer(t, noisy(1<<20), 1), &httpx.Compressor{})
			ch.Block()
			ch.Feed(asking("GET", "gzip") + "\r\n" + asking("GET", "gzip") + "\r\n")
			end(ch)
			ch.RunPending()
			for err := ch.CheckErr(); err != nil; err = ch.CheckErr() {
				require.True(t, errors.Is(err, os.ErrInvalid) || errors.Is(err, pipeline.ErrReset), err)
			}
		})
	}
}

func TestCompressorClosesWhenAFileIsShorterThanAnnounced(t *testing.T) {
	ch := behind(t, func(_ *pipeline.Context, x *httpx.Exchange) error {
		require.NoError(t, x.Begin(response(t, "content-type", "text/plain", "content-length", "100000")))
		f, err := os.Create(t.TempDir() + "/f")
		require.NoError(t, err)
		_, err = f.WriteString("short")
		require.NoError(t, err)
		return errors.Join(x.WriteFile(pipeline.NewFileRegion(f, 0, 100_000, true)), x.End())
	}, &httpx.Compressor{})
	ch.Feed(asking("GET", "gzip") + "\r\n")
	ch.ExpectError(io.ErrUnexpectedEOF)
	require.False(t, strings.HasSuffix(ch.Wire(), "0\r\n\r\n"))
	require.True(t, ch.Channel().Closed())
}

func TestCompressorThatLeavesSendsWhatItHolds(t *testing.T) {
	text := noisy(1 << 20)
	c := &httpx.Compressor{}
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true, Config: embedded.Config{}}, httpx.Init(httpx.ServerConfig{
		Handle: fileAnswer(t, text, 2), Handlers: func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{c} },
	}))
	ch.Block()
	ch.Feed(asking("GET", "gzip") + "\r\n" + asking("GET", "zstd") + "\r\n")
	require.NoError(t, ch.Channel().Post(func() { ch.Pipeline().ContextOf(c).Remove() }))
	ch.Unblock()
	ch.RunPending()
	_, bodies := answers(t, ch.Wire(), "GET", "GET")
	require.Equal(t, []string{text, text}, bodies)
}
